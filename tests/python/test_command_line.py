"""The command `hudilite` on tables that were made by hand: no JVM starts here."""

from __future__ import annotations

import importlib
import io
import json
import os
import pty
import re
import subprocess
import sys
from dataclasses import asdict
from importlib import import_module, metadata
from pathlib import Path

import pytest

import hudilite
from hudilite import __main__, files, timeline
from hudilite.cli import main, output
from hudilite.conditions import class_of
from hudilite.launch import versions
from python.hand_made_table import add_commit, add_instant, group_of, make_bucketed, make_table

ROOT = Path(__file__).parents[2]
LISTED = ROOT / "sql-extension/core/src/main/resources/hudilite-conditions.json"
FIRST, SECOND, THIRD = "20240101000000000", "20240102000000000", "20240103000000000"


@pytest.fixture
def grown(tmp_path: Path) -> Path:
    base = make_bucketed(tmp_path / "t")
    add_commit(base, FIRST, {"p=a": {group_of(0): 3, group_of(1): 40}}, operation="INSERT")
    add_commit(base, SECOND, {"p=b": {group_of(2): 500}})
    add_instant(base, THIRD, "clean", b"Obj\1")
    return base


def outcome(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, list[str]]:
    """Exit code, what was printed, and the lines on stderr."""
    code = main([str(argument) for argument in arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err.splitlines()


def cells(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def child(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hudilite", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


def test_the_entry_point_is_main() -> None:
    text = (ROOT / "python/pyproject.toml").read_text()
    script = re.search(r'\[project[.]scripts\]\nhudilite = "([\w.]+):(\w+)"', text)
    assert script is not None
    assert getattr(import_module(script[1]), script[2]) is __main__.main


def test_ctrl_c_is_no_traceback_while_modules_are_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupts:
        """Finder of modules, during which Ctrl-C is pressed."""

        def find_spec(self, *_: object) -> None:
            raise KeyboardInterrupt

    for module in ("hudilite.cli", "hudilite.cli.errors"):
        for known in [name for name in sys.modules if name.startswith(module)]:
            monkeypatch.delitem(sys.modules, known)
        with monkeypatch.context() as patch:
            patch.setattr(sys, "meta_path", [Interrupts()])
            patch.setattr(sys, "argv", ["hudilite", "errors"])
            assert __main__.main() == 130
        importlib.import_module(module)


def test_timeline_as_a_table(grown: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, text, err = outcome(capsys, "timeline", grown)
    assert (code, err) == (0, [])
    lines = cells(text)
    assert lines[0][:4] == ["INSTANT", "ACTION", "STATE", "OPERATION"]
    size = sum(f.stat().st_size for f in (grown / "p=a").glob("*.parquet"))
    assert lines[1] == [
        *(FIRST, "commit", "completed", "INSERT"),
        *("43", "43", "0", "0", "2", str(size), "1"),
    ]
    assert lines[3] == [THIRD, "clean", "completed"]
    assert "\x1b" not in text
    assert not any(line.endswith(" ") for line in text.splitlines())


def test_timeline_as_json_is_what_python_reads(
    grown: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, text, _ = outcome(capsys, "timeline", grown, "--json")
    read = timeline.read(grown)
    assert code == 0
    expected = {"path": str(grown), "instants": [asdict(i) for i in read.instants]}
    assert json.loads(text) == json.loads(json.dumps(expected))
    assert json.loads(text)["instants"][0]["completion"]["rows_written"] == 43


def test_files_as_a_table(grown: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, text, _ = outcome(capsys, "files", grown)
    assert code == 0
    lines = text.splitlines()
    sizes = [str(f.bytes) for f in files.read(grown)]
    assert [line.split()[:5] for line in lines[1:]] == [
        ["p=a", "0", "3", sizes[0], FIRST],
        ["p=a", "1", "40", sizes[1], FIRST],
        ["p=b", "2", "500", sizes[2], SECOND],
    ]
    # Numbers end where the head of their column ends.
    end = lines[0].index("ROWS") + len("ROWS")
    assert [
        line[:end].endswith(f" {rows}")
        for line, rows in zip(lines[1:], ("3", "40", "500"), strict=True)
    ] == [True] * 3


def test_files_as_json_with_every_option(grown: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--at", FIRST, "--partition", "p=a", "--footers", "--json")
    code, text, _ = outcome(capsys, "files", grown, *options)
    assert code == 0
    found = files.read(grown, FIRST, partition="p=a", footers=True)
    assert json.loads(text) == {
        "path": str(grown),
        "at": FIRST,
        "files": [asdict(file) for file in found],
    }
    assert [file.rows for file in found] == [3, 40]


def test_the_path_of_a_document_is_whole(
    grown: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(grown.parent)
    for command in (["files"], ["timeline"], ["show", "-o", "page.html"]):
        _, text, _ = outcome(capsys, *command, "t", "--json")
        assert json.loads(text)["path"] == str(grown)


def test_a_table_without_files_prints_its_heads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = make_table(tmp_path / "t")
    assert outcome(capsys, "files", base)[1].split()[0] == "PARTITION"
    assert json.loads(outcome(capsys, "files", base, "--json")[1])["files"] == []


def test_every_condition_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    code, text, _ = outcome(capsys, "errors", "--json")
    listed = json.loads(LISTED.read_text())
    found = {entry["condition"]: entry for entry in json.loads(text)["conditions"]}
    assert code == 0
    assert sorted(found) == sorted(listed)
    for name, entry in listed.items():
        assert (found[name]["message"], found[name]["sql_state"]) == (
            entry["message"],
            entry["sqlState"],
        )
        assert found[name]["python"] == class_of(name, entry["sqlState"]).__name__
    assert found["HUDILITE_JAR_MISSING"]["python"] == "SessionError"
    assert found["HUDILITE_NULL_KEY"]["python"] == "KeyViolationError"


@pytest.mark.parametrize("name", ["HUDILITE_NULL_KEY", "null_key", "[hudilite_null_key]"])
def test_one_condition(capsys: pytest.CaptureFixture[str], name: str) -> None:
    code, text, _ = outcome(capsys, "errors", name, "--json")
    assert code == 0
    assert [c["condition"] for c in json.loads(text)["conditions"]] == ["HUDILITE_NULL_KEY"]
    assert "23502" in outcome(capsys, "errors", name)[1]


def test_a_condition_that_is_none_names_the_nearest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, text, err = outcome(capsys, "errors", "HUDILITE_NUL_KEY")
    assert (code, text, len(err)) == (1, "", 1)
    assert err[0].startswith("error: [HUDILITE_CONDITION_UNKNOWN] ")
    assert "HUDILITE_NULL_KEY" in err[0]


def test_errors_need_no_jar(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versions, "JAR_FOLDER", tmp_path)
    code, text, err = outcome(capsys, "errors")
    assert (code, err) == (0, [])
    assert "HUDILITE_JAR_MISSING" in text


@pytest.mark.parametrize(
    ("break_it", "code", "condition"),
    [
        ("missing", 3, "HUDILITE_PATH_INVALID"),
        ("no table", 3, "HUDILITE_PATH_INVALID"),
        ("file", 3, "HUDILITE_PATH_INVALID"),
        ("no properties", 1, "HUDILITE_MISSING_FILE"),
        ("cut commit", 1, "HUDILITE_CORRUPT_TIMELINE"),
        ("lost file", 1, "HUDILITE_MISSING_DATA_FILE"),
        ("other version", 1, "HUDILITE_UNSUPPORTED_TABLE"),
    ],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_what_cannot_be_read_is_one_line_and_a_code(
    grown: Path,
    capsys: pytest.CaptureFixture[str],
    break_it: str,
    code: int,
    condition: str,
    as_json: bool,
) -> None:
    path = broken(grown, break_it)
    found, text, err = outcome(capsys, "files", path, *(["--json"] if as_json else []))
    assert (found, text, len(err)) == (code, "", 1)
    assert err[0].startswith(f"error: [{condition}] ")


def broken(base: Path, how: str) -> Path:
    facts = base / ".hoodie" / "hoodie.properties"
    if how == "missing":
        return base / "nowhere"
    if how == "no table":
        return base / "p=a"
    if how == "file":
        return facts
    if how == "no properties":
        facts.unlink()
    if how == "cut commit":
        (base / ".hoodie" / f"{FIRST}.commit").write_bytes(b"{")
    if how == "lost file":
        next((base / "p=b").glob("*.parquet")).unlink()
    if how == "other version":
        facts.write_text(facts.read_text().replace("table.version=6", "table.version=9"))
    return base


def test_a_folder_that_may_not_be_opened(
    grown: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(path: str) -> None:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "scandir", denied)
    code, _, err = outcome(capsys, "timeline", grown)
    assert (code, len(err)) == (3, 1)
    assert err[0].startswith("error: [HUDILITE_PATH_INVALID] ")
    assert "permission denied" in err[0]


def test_other_faults_of_arguments(grown: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = outcome(capsys, "files", grown, "--at", "noon")
    assert code == 1
    assert err[0].startswith("error: [HUDILITE_INSTANT_INVALID] ")
    for wrong in (
        [],
        ["timeline"],
        ["nosuch", "x"],
        ["files", grown, "--foot"],
        ["files", "a", "b"],
    ):
        with pytest.raises(SystemExit) as left:
            main([str(argument) for argument in wrong])
        assert left.value.code == 2


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--version"])
    assert left.value.code == 0
    assert capsys.readouterr().out == f"hudilite {metadata.version('hudilite')}\n"
    assert hudilite.__version__ == metadata.version("hudilite")


def test_a_name_cannot_move_the_cursor_or_break_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = make_table(tmp_path / "t")
    add_commit(base, FIRST, {"p=\x1b[31mred\nline": {group_of(0): 1}})
    _, text, _ = outcome(capsys, "files", base)
    assert "\x1b" not in text
    assert len(text.splitlines()) == 2
    code, _, err = outcome(capsys, "files", tmp_path / "a\nb")
    assert (code, len(err)) == (3, 1)


def test_wide_and_combined_characters_are_aligned(capsys: pytest.CaptureFixture[str]) -> None:
    output.table(("A", "B"), [("你好", "x"), ("e\u0301", "x"), ("abcd", "x")])
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["A     B", "你好  x", "e\u0301     x", "abcd  x"]


def test_a_child_gives_the_same_codes(grown: Path) -> None:
    assert child("timeline", grown).returncode == 0
    missing = child("timeline", grown / "nowhere")
    assert (missing.returncode, missing.stdout) == (3, "")
    assert missing.stderr.startswith("error: [HUDILITE_PATH_INVALID] ")
    assert child("timeline").returncode == 2


def test_a_pipe_that_is_closed_early_is_no_fault(grown: Path) -> None:
    for number in range(300):
        add_instant(grown, f"2024020100000{number:04d}", "clean", b"Obj\1")
    command = (
        f"'{sys.executable}' -m hudilite timeline '{grown}' | head -n 1; echo ${{PIPESTATUS[0]}}"
    )
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.stderr == ""
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["INSTANT", "0"]


def test_a_disk_that_is_full_is_one_line(grown: Path) -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "hudilite", "timeline", str(grown)]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 3
    assert done.stderr.splitlines()[0].startswith("error: [HUDILITE_PATH_INVALID] ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_traceback(grown: Path, closed: str) -> None:
    own = f"'{sys.executable}' -m hudilite timeline '{grown}' {closed}"
    done = subprocess.run(["bash", "-c", own], capture_output=True, text=True)
    assert done.returncode == (3 if ">&- " in f"{closed} " and closed != "2>&-" else 0)
    if closed == ">&-":
        (line,) = done.stderr.splitlines()
        assert line.startswith("error: [HUDILITE_PATH_INVALID] Path standard output ")
    else:
        assert done.stderr == ""


@pytest.mark.parametrize("words", ["--version", "--help", "timeline --help"])
@pytest.mark.parametrize("stdout", [">&-", ">/dev/full"])
def test_help_that_cannot_be_written_keeps_its_exit_code(words: str, stdout: str) -> None:
    own = f"'{sys.executable}' -m hudilite {words} {stdout}"
    done = subprocess.run(["bash", "-c", own], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("more", ["", ">/dev/full"])
def test_an_error_that_cannot_be_written_keeps_its_exit_code(more: str) -> None:
    own = f"'{sys.executable}' -m hudilite timeline /nowhere {more} 2>/dev/full"
    assert subprocess.run(["bash", "-c", own]).returncode == 3


@pytest.mark.parametrize("closed", ["2>&-", "<&-", "<&- 2>&-", "<&- >&- 2>&-"])
def test_no_file_gets_the_number_of_a_closed_stream(closed: str) -> None:
    code = (
        "import os\n"
        "from hudilite.cli import output\n"
        "output.ready()\n"
        "raise SystemExit(os.open(os.devnull, os.O_RDONLY) < 3 or not os.get_inheritable(2))"
    )
    own = f"'{sys.executable}' -c '{code}' {closed}"
    assert subprocess.run(["bash", "-c", own]).returncode == 0


def test_text_that_the_encoding_lacks_is_escaped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = make_table(tmp_path / "t")
    add_commit(base, FIRST, {"p=é你": {group_of(0): 1}})
    printed = io.BytesIO()
    with io.TextIOWrapper(printed, encoding="ascii") as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        assert main(["files", str(base)]) == 0
        assert printed.getvalue().splitlines()[1].startswith(b"p=\\xe9\\u4f60")


@pytest.mark.parametrize(
    ("environment", "bold"),
    [
        ({"TERM": "xterm"}, True),
        ({"TERM": "dumb"}, False),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False),
    ],
)
def test_heads_are_bold_on_a_terminal(
    grown: Path, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], bold: bool
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    ours, theirs = pty.openpty()
    with open(theirs, "w") as terminal:
        monkeypatch.setattr(sys, "stdout", terminal)
        assert main(["files", str(grown), "--partition", "none"]) == 0
        shown = os.read(ours, 4096).decode()
    os.close(ours)
    assert "PARTITION" in shown
    assert shown.startswith(output.BOLD) is bold
