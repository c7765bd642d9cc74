"""The command `trueward analyse`."""

import json

import pytest
from typer.testing import CliRunner

import trueward as tw
from trueward.cli.app import app

ROWS = "".join(f"{arm},{rating + i % 2},p{i},4,1\n" for i in range(40) for arm, rating in (("video", 8), ("text", 3)))
TABLE = "arm,rating,participant,seconds,check\n" + ROWS


def run(*arguments, code=0):
    result = CliRunner().invoke(app, ["analyse", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.output


def test_analyse_prints_verdict_and_writes_page_and_json_for_csv_file(tmp_path):
    file = tmp_path / "ratings.csv"
    file.write_text(TABLE + "text,9,bot,0.3,0\n")
    output = run(
        file, "--scale", 0, 10, "--epsilon", 0.05, "--bad", "capped", "--rule", "faster than 1 s", "--out", tmp_path
    )
    assert "video is ahead, and stays so even if" in output
    assert "rules exclude 1 of 41 participants (faster than 1 s: 1)" in output
    report = json.loads((tmp_path / "analysis.json").read_text())
    assert report["assumed"] == {"epsilon": 0.05, "bad": "capped", "level": 0.95, "scale": [0.0, 10.0]}
    page = (tmp_path / "analysis.html").read_text()
    options = "--epsilon 0.05 --bad capped --level 0.95 --scale 0 10 --rule &#39;faster than 1 s&#39;"
    assert options in page


def test_analyse_opens_study_by_database_and_name(tmp_path):
    url = f"sqlite:///{tmp_path}/s.db"
    with tw.Study.create(url, "one", ["a", "b"], policy=tw.BetaThompson((0, 10)), rules=["check failed"]) as study:
        for i in range(12):
            study.tell(study.ask(participant=f"p{i}"), 5 + i % 2, evidence={"check": i != 3})
    output = run(tmp_path / "s.db", "--out", tmp_path / "out")
    assert "rules exclude 1 of 12 participants (check failed: 1)" in output
    tw.Study.create(url, "two", ["a", "b"], policy=tw.BetaThompson((0, 10))).close()
    assert "holds one, two: name one of them" in run(tmp_path / "s.db", code=2)
    assert "there are no ratings to analyse yet" in run(url, "two", code=2)


INVALID_FILES = {
    "": "ratings.csv, row 1: the file is empty; it needs the columns 'arm' and 'rating'",
    "arm,score\na,1\n": "ratings.csv, row 1, column 'rating': missing; there are 'arm', 'score'",
    "arm,rating\na,1\nb,good\n": "ratings.csv, row 3, column 'rating': must be a number, got 'good'",
    "arm,rating\na,1\na,2\n": "ratings.csv, row 3, column 'arm': is the last, and only 'a' was named",
    "arm,rating\na,1\nb,7\n": "ratings.csv, row 3, column 'rating': must be on the scale from 0 to 5, got 7",
}


@pytest.mark.parametrize(("text", "message"), INVALID_FILES.items(), ids=range(len(INVALID_FILES)))
def test_analyse_names_row_and_column_of_invalid_csv_in_one_line(tmp_path, text, message):
    file = tmp_path / "ratings.csv"
    file.write_text(text)
    output = run(file, "--scale", 0, 5, "--out", tmp_path / "out", code=2)
    assert message in output
    assert output.startswith("trueward: ")
    assert output.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_analyse_reports_missing_file_and_invalid_option_in_one_line(tmp_path):
    assert "the file does not exist" in run(tmp_path / "nothing.db", code=2)
    assert "nothing.csv: No such file or directory" in run(tmp_path / "nothing.csv", code=2)
    file = tmp_path / "ratings.csv"
    file.write_text(TABLE)
    assert "level must be above 0 and below 1, got 1" in run(file, "--level", 1, code=2)
    assert "epsilon must be at least 0 and at most 1, got 2" in run(file, "--epsilon", 2, code=2)
    (tmp_path / "text.db").write_text("no database")
    assert run(tmp_path / "text.db", code=2).count("\n") == 1
