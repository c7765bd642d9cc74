"""The command that says what may be concluded."""

import json

import pytest
from typer.testing import CliRunner

import trueward as tw
from trueward.cli.app import app

ROWS = "".join(f"{arm},{rating + i % 2},p{i},4,1\n" for i in range(40) for arm, rating in (("video", 8), ("text", 3)))
TABLE = "arm,rating,participant,seconds,check\n" + ROWS


def run(*words, code=0):
    done = CliRunner().invoke(app, ["analyse", *map(str, words)])
    assert done.exit_code == code, done.output
    return done.output


def test_a_table_gives_a_verdict_a_page_and_the_numbers(tmp_path):
    file = tmp_path / "ratings.csv"
    file.write_text(TABLE + "text,9,bot,0.3,0\n")
    said = run(
        file, "--scale", 0, 10, "--epsilon", 0.05, "--bad", "capped", "--rule", "faster than 1 s", "--out", tmp_path
    )
    assert "video is ahead, and stays so even if" in said
    assert "rules leave out 1 of 41 participants (faster than 1 s: 1)" in said
    read = json.loads((tmp_path / "analysis.json").read_text())
    assert read["assumed"] == {"epsilon": 0.05, "bad": "capped", "level": 0.95, "scale": [0.0, 10.0]}
    page = (tmp_path / "analysis.html").read_text()
    again = "--epsilon 0.05 --bad capped --level 0.95 --scale 0 10 --rule &#39;faster than 1 s&#39;"
    assert again in page


def test_a_study_is_found_by_its_file_and_its_name(tmp_path):
    url = f"sqlite:///{tmp_path}/s.db"
    with tw.Study.create(url, "one", ["a", "b"], policy=tw.BetaThompson((0, 10)), rules=["check failed"]) as study:
        for i in range(12):
            study.tell(study.ask(participant=f"p{i}"), 5 + i % 2, evidence={"check": i != 3})
    said = run(tmp_path / "s.db", "--out", tmp_path / "out")
    assert "rules leave out 1 of 12 participants (check failed: 1)" in said
    tw.Study.create(url, "two", ["a", "b"], policy=tw.BetaThompson((0, 10))).close()
    assert "holds one, two: name one of them" in run(tmp_path / "s.db", code=2)
    assert "there are no ratings to analyse yet" in run(url, "two", code=2)


BAD = {
    "": "ratings.csv, row 1: the file is empty; it needs the columns 'arm' and 'rating'",
    "arm,score\na,1\n": "ratings.csv, row 1, column 'rating': missing; there are 'arm', 'score'",
    "arm,rating\na,1\nb,good\n": "ratings.csv, row 3, column 'rating': must be a number, got 'good'",
    "arm,rating\na,1\na,2\n": "ratings.csv, row 3, column 'arm': is the last, and only 'a' was named",
    "arm,rating\na,1\nb,7\n": "ratings.csv, row 3, column 'rating': must be on the scale from 0 to 5, got 7",
}


@pytest.mark.parametrize(("text", "message"), BAD.items(), ids=range(len(BAD)))
def test_a_bad_table_ends_in_one_line_that_names_row_and_column(tmp_path, text, message):
    file = tmp_path / "ratings.csv"
    file.write_text(text)
    said = run(file, "--scale", 0, 5, "--out", tmp_path / "out", code=2)
    assert message in said
    assert said.startswith("trueward: ")
    assert said.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_what_is_not_there_or_cannot_be_ends_in_one_line(tmp_path):
    assert "the file does not exist" in run(tmp_path / "nothing.db", code=2)
    assert "nothing.csv: No such file or directory" in run(tmp_path / "nothing.csv", code=2)
    file = tmp_path / "ratings.csv"
    file.write_text(TABLE)
    assert "level must be above 0 and below 1, got 1" in run(file, "--level", 1, code=2)
    assert "epsilon must be at least 0 and at most 1, got 2" in run(file, "--epsilon", 2, code=2)
    (tmp_path / "text.db").write_text("no database")
    assert run(tmp_path / "text.db", code=2).count("\n") == 1
