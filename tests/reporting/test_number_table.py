import io

from rich.console import Console

from trueward.reporting.number_table import NumberTable, rich_table


def test_number_table_aligns_numbers_to_the_right_and_keeps_brackets():
    table = NumberTable("A [b]", ["name", "mean"], [["UCB [/]", "1.5"], ["tUCB", "10.25"]])
    assert table.numeric == [False, True]
    console = Console(width=40, file=io.StringIO())
    console.print(rich_table(table))
    lines = [line.rstrip() for line in console.file.getvalue().splitlines()]
    assert lines[0] == "A [b]"
    assert [line.split() for line in lines[-3:-1]] == [["UCB", "[/]", "1.5"], ["tUCB", "10.25"]]
    assert len(lines[-3]) == len(lines[-2])
