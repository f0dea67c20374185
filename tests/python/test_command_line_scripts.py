"""`hudilite lint`, `convert` and `lineage`: scripts are read and nothing is run."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hudilite.cli import main

DECLARED = "CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4;\n"
MERGE = "MERGE INTO t USING s ON t.v = s.v WHEN MATCHED THEN UPDATE SET *;\n"
CALL = "CALL verifi(table => 't');\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(name: str, text: str) -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def outcome(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, list[str]]:
    """Exit code, what was printed, and the lines on stderr."""
    code = main(arguments)
    printed = capsys.readouterr()
    return code, printed.out, printed.err.splitlines()


def places(text: str) -> list[list[str]]:
    """File with line and column, and rule, of each finding."""
    return [line.split()[:2] for line in text.splitlines()]


def test_lint_prints_file_line_column_and_rule(capsys: pytest.CaptureFixture[str]) -> None:
    one, two = written("a.sql", DECLARED + MERGE), written("b.sql", "SELECT 1;\n" + CALL)
    code, text, err = outcome(capsys, "lint", one, two)
    assert (code, err) == (1, [])
    assert places(text) == [
        ["a.sql:2:25", "key-not-pinned"],
        ["b.sql:2:6", "unknown-procedure"],
    ]
    assert text.splitlines()[1].endswith(". Write verify")


def test_lint_of_a_script_without_fault(capsys: pytest.CaptureFixture[str]) -> None:
    good = written("a.sql", DECLARED + MERGE.replace("t.v = s.v", "t.id = s.id"))
    assert outcome(capsys, "lint", good) == (0, "", [])
    assert outcome(capsys, "lint", written("empty.sql", "")) == (0, "", [])


def test_lint_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, text, _ = outcome(capsys, "lint", "--json", written("a.sql", CALL))
    (found,) = json.loads(text)["findings"]
    assert code == 1
    assert found == {
        "file": "a.sql",
        "line": 1,
        "column": 6,
        "rule": "unknown-procedure",
        "message": "Procedure verifi does not exist",
        "fix": "Write verify",
    }
    assert json.loads(outcome(capsys, "lint", "--json", written("b.sql", ""))[1]) == {
        "findings": []
    }


def test_lint_by_chosen_rules_always_reports_malformed_statements(
    capsys: pytest.CaptureFixture[str],
) -> None:
    name = written("a.sql", DECLARED + MERGE + CALL + "SELECT FROM FROM;\n")
    _, text, _ = outcome(capsys, "lint", name, "--rule", "unknown-procedure")
    assert [rule for _, rule in places(text)] == ["unknown-procedure", "syntax"]
    _, text, _ = outcome(
        capsys, "lint", name, "--rule", "unknown-procedure", "--rule", "key-not-pinned"
    )
    assert [rule for _, rule in places(text)] == ["key-not-pinned", "unknown-procedure", "syntax"]
    with pytest.raises(SystemExit) as left:
        main(["lint", name, "--rule", "nosuch"])
    assert left.value.code == 2


def test_lint_by_tables_that_are_declared_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    name = written("a.sql", MERGE)
    tables = written("tables.sql", DECLARED + "CREATE TABLE broken (;\n")
    assert outcome(capsys, "lint", name)[0] == 0
    _, text, _ = outcome(capsys, "lint", name, "--tables", tables)
    assert [(place.split(":")[0], rule) for place, rule in places(text)] == [
        ("tables.sql", "syntax"),
        ("a.sql", "key-not-pinned"),
    ]


def test_declared_names_with_dots_and_backticks(capsys: pytest.CaptureFixture[str]) -> None:
    odd = "`d``b`.`a.b`"
    tables = written("tables.sql", DECLARED.replace("TABLE t", f"TABLE {odd}"))
    merge = MERGE.replace("INTO t", f"INTO {odd} AS t")
    _, text, _ = outcome(capsys, "lint", written("a.sql", merge), "--tables", tables)
    assert [rule for _, rule in places(text)] == ["key-not-pinned"]


def test_standard_input(here: Path) -> None:
    command = [sys.executable, "-m", "hudilite", "lint", "-"]
    done = subprocess.run(command, input="\ufeff" + CALL, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "")
    assert places(done.stdout) == [["-:1:6", "unknown-procedure"]]


def test_standard_input_that_is_closed(here: Path) -> None:
    own = f"'{sys.executable}' -m hudilite lint - <&-"
    done = subprocess.run(["bash", "-c", own], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (3, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: [HUDILITE_PATH_INVALID] Path - ")


def test_log_lines_of_sqlglot_are_not_printed(here: Path) -> None:
    name = written("a.sql", "IF x THEN SELECT 1; SELECT FROM FROM")
    command = [sys.executable, "-m", "hudilite", "lineage", name]
    done = subprocess.run(command, capture_output=True, text=True)
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: [HUDILITE_SCRIPT_MALFORMED] ")


def test_a_finding_cannot_move_the_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    _, text, _ = outcome(capsys, "lint", written("a.sql", "CALL `\x1b[31m\n`(1)"))
    assert "\x1b" not in text
    assert len(text.splitlines()) == 1


@pytest.mark.parametrize("command", ["lint", "lineage", "convert"])
@pytest.mark.parametrize("how", ["missing", "folder", "no text"])
def test_a_script_that_cannot_be_read(
    capsys: pytest.CaptureFixture[str], command: str, how: str
) -> None:
    if how == "folder":
        Path("x.sql").mkdir()
    if how == "no text":
        Path("x.sql").write_bytes(b"SELECT '\xff'")
    more = ["--from", "hudi"] if command == "convert" else []
    code, text, err = outcome(capsys, command, "x.sql", *more)
    assert (code, text, len(err)) == (3, "", 1)
    assert err[0].startswith("error: [HUDILITE_PATH_INVALID] ")
    assert "x.sql" in err[0]


@pytest.mark.parametrize("text", ["SELECT 1;\nSELECT FROM FROM", "SELECT 1;\nSELECT 'x"])
@pytest.mark.parametrize("command", ["lineage", "convert"])
def test_a_script_that_is_malformed(
    capsys: pytest.CaptureFixture[str], command: str, text: str
) -> None:
    more = ["--from", "hudi"] if command == "convert" else []
    text = text.replace("SELECT 1", "CREATE TABLE a (id INT) USING hudi") if more else text
    more += ["--key", "id"] if more else []
    code, out, err = outcome(capsys, command, written("x.sql", text), *more)
    assert (code, out, len(err)) == (1, "", 1)
    assert err[0].startswith("error: [HUDILITE_SCRIPT_MALFORMED] Script x.sql ")
    assert " line 2," in err[0]
    assert "TokenType" not in err[0]


ICEBERG = (
    "CREATE TABLE a (id BIGINT, p STRING) USING iceberg PARTITIONED BY (bucket(16, id), p) "
    "TBLPROPERTIES ('format-version' = '2');\nCREATE TABLE b (id BIGINT) USING iceberg"
)


def test_convert_prints_declarations_and_reports(capsys: pytest.CaptureFixture[str]) -> None:
    name = written("x.sql", ICEBERG)
    code, text, err = outcome(capsys, "convert", name, "--from", "iceberg", "--key", "id")
    assert code == 0
    assert text.splitlines() == [
        "CREATE TABLE a (id BIGINT, p STRING, PRIMARY KEY (id)) USING hudilite "
        "PARTITIONED BY (p) WITH BUCKETS 16;",
        "CREATE TABLE b (id BIGINT, PRIMARY KEY (id)) USING hudilite;",
    ]
    assert err == ["left out: format-version = '2': a property of Iceberg"]
    assert outcome(capsys, "lint", written("y.sql", text))[0] == 0


def test_convert_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--from", "delta", "--key", "id, v", "--buckets", "8", "--json"]
    name = written("x.sql", "CREATE TABLE a (id INT, v INT) USING delta")
    code, text, err = outcome(capsys, "convert", name, *options)
    assert (code, err) == (0, [])
    assert json.loads(text) == {
        "tables": [
            {
                "sql": "CREATE TABLE a (id INT, v INT, PRIMARY KEY (id, v)) USING hudilite "
                "WITH BUCKETS 8",
                "report": [],
            }
        ]
    }


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("CREATE TABLE a (id INT) USING delta", "HUDILITE_KEY_NOT_DECLARED"),
        ("CREATE TABLE a (id INT) USING iceberg", "HUDILITE_BUILDER_ARGUMENT_INVALID"),
        ("DROP TABLE a", "HUDILITE_BUILDER_ARGUMENT_INVALID"),
        ("-- nothing", "HUDILITE_BUILDER_ARGUMENT_INVALID"),
    ],
)
def test_what_cannot_be_converted(
    capsys: pytest.CaptureFixture[str], text: str, condition: str
) -> None:
    code, out, err = outcome(capsys, "convert", written("x.sql", text), "--from", "delta")
    assert (code, out, len(err)) == (1, "", 1)
    assert err[0].startswith(f"error: [{condition}] ")


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        ["--from", "orc"],
        ["--from", "delta", "--buckets", "0"],
        ["--from", "delta", "--key", ""],
    ],
)
def test_wrong_arguments_of_convert(wrong: list[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["convert", "x.sql", *wrong])
    assert left.value.code == 2


SCRIPT = DECLARED + (
    "SELECT 1;\nMERGE INTO t AS x USING s ON x.id = s.id WHEN MATCHED AND s.gone THEN DELETE "
    "WHEN MATCHED THEN UPDATE SET v = concat(x.v, s.w) WHEN NOT MATCHED THEN INSERT *;"
)


def test_lineage_has_a_row_for_each_column(capsys: pytest.CaptureFixture[str]) -> None:
    code, text, err = outcome(capsys, "lineage", written("x.sql", SCRIPT))
    assert (code, err) == (0, [])
    assert [line.split() for line in text.splitlines()[1:]] == [
        ["3", "t", "1", "MATCHED", "DELETE", "source.gone"],
        ["3", "t", "2", "MATCHED", "UPDATE", "v", "target.v,", "source.w"],
        ["3", "t", "3", "NOT", "MATCHED", "INSERT", "id", "source.id"],
        ["3", "t", "3", "NOT", "MATCHED", "INSERT", "v", "source.v"],
    ]


def test_lineage_as_json_with_tables_from_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    tables = written("tables.sql", DECLARED)
    name = written("x.sql", "EXPLAIN " + MERGE)
    code, text, _ = outcome(capsys, "lineage", name, "--tables", tables, "--json")
    assert code == 0
    (merge,) = json.loads(text)["merges"]
    assert (merge["line"], merge["target"]) == (1, "t")
    assert [(c["number"], c["when"], c["action"]) for c in merge["clauses"]] == [
        (1, "MATCHED", "UPDATE")
    ]
    assert merge["clauses"][0]["columns"] == [
        {"column": c, "origins": [{"relation": "source", "column": c}], "expression": f"s.{c}"}
        for c in ("id", "v")
    ]


@pytest.mark.parametrize("text", ["SELECT 1", MERGE])
def test_lineage_that_the_text_does_not_determine(
    capsys: pytest.CaptureFixture[str], text: str
) -> None:
    code, out, err = outcome(capsys, "lineage", written("x.sql", text))
    assert (code, out, len(err)) == (1, "", 1)
    assert err[0].startswith("error: [HUDILITE_LINEAGE_UNKNOWN] ")


def test_faults_of_a_statement_name_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    _, _, err = outcome(capsys, "lineage", written("x.sql", f"SELECT 1;\n\n{MERGE}"))
    assert "(line 3)" in err[0]
    script = "CREATE TABLE a (id INT) USING delta;\n\nDROP TABLE a"
    options = ("--from", "delta", "--key", "id")
    _, _, err = outcome(capsys, "convert", written("y.sql", script), *options)
    assert "(line 3)" in err[0]


def test_the_page_has_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    listed = re.findall(r"^    ([\w-]+)(?: |$)", capsys.readouterr().out, re.MULTILINE)
    page = Path(__file__).parents[2] / "docs" / "command-line.md"
    rows = page.read_text(encoding="utf-8").split("\n## ")[0].split("| --- | --- |\n")[1]
    named = re.findall(r"`([\w-]+)[^`]*`", "\n".join(r.split(" | ")[0] for r in rows.splitlines()))
    assert len(listed) > 10
    assert sorted(named) == sorted(listed)
