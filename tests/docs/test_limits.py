"""Statements that the docs call refused: each such line names an error, and a test that raises it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.golden import parse_golden
from hudilite.lint.procedures import PROCEDURES

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGE = DOCS / "limits.md"
LIST = Path(__file__).with_name("refusals.txt")
HEAD = "| limit | for example | error | shown by | instead |"
# Pages of another kind: reasons at the time of a decision, and what a generator or a run writes.
OTHERS = {
    *("errors.md", "support.md", "reliability.md"),
    *("benchmarks.md", "merge-on-read-benchmarks.md"),
}
# Not yet: a page says what is, and has no plans.
PLANS = re.compile(
    r"\b(?:not yet|not supported yet|planned for|coming soon|a later version of hudilite)\b", re.I
)
REFUSED = re.compile(r"\bnot supported\b", re.I)


@dataclass(frozen=True)
class Refusal:
    """A line that says what is refused.

    Attributes:
        example: A text of the test that raises the error.
        shown: The test, as a path.
    """

    words: str
    example: str
    condition: str
    shown: Path

    def __str__(self) -> str:
        return self.words

    def fault(self) -> str | None:
        """The facts of the line that are not true."""
        if not self.shown.is_file():
            return f"{self.shown} does not exist"
        text = self.shown.read_text(encoding="utf-8")
        if self.shown.suffix == ".sql":
            blocks = parse_golden(text).blocks
            texts = [block.text for block in blocks if block.expected_error == self.condition]
        else:
            texts = [text] if self.condition in text else []
        shown = any(squeezed(self.example) in squeezed(one) for one in texts)
        return None if shown else f"{self.shown.name} has no {self.example!r} with {self.condition}"


def squeezed(text: str) -> str:
    return " ".join(text.split()).lower()


def of_page() -> list[Refusal]:
    """The lines of the tables of limits.md."""
    found = []
    tables = PAGE.read_text(encoding="utf-8").split(HEAD)[1:]
    for line in (line for table in tables for line in table.split("\n\n")[0].splitlines()[2:]):
        limit, example, condition, shown, _ = (
            cell.strip() for cell in line.strip("|").split(" | ")
        )
        code = re.fullmatch(r"(`+) ?(.+?) ?\1", example)
        link = re.fullmatch(r"\[\S+\]\((\S+)\)", shown)
        assert code, line
        assert link, line
        found.append(Refusal(limit, code[2], condition, (DOCS / link[1]).resolve()))
    return found


def of_list() -> dict[tuple[str, str], Refusal]:
    """The lines of refusals.txt, by page and words."""
    lines = LIST.read_text(encoding="utf-8").splitlines()
    cells = [line.split(" | ") for line in lines if line and not line.startswith("#")]
    return {
        (page, words): Refusal(words, example, condition, ROOT / "tests" / "sql" / file)
        for page, words, file, condition, example in cells
    }


def sentences(page: Path) -> list[str]:
    """The sentences of a page, each with white space squeezed; a cell of a table is one, too."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    blocks = re.split(r"\n\s*\n|\n(?=[-|#] )", text)
    return [one for block in blocks for one in re.split(r"(?<=\.) |\|", " ".join(block.split()))]


def pages() -> list[Path]:
    found = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
    return [page for page in found if page.name not in OTHERS and page.parent.name != "decisions"]


@pytest.mark.parametrize("refusal", [*of_page(), *of_list().values()], ids=str)
def test_a_test_raises_the_error_of_a_limit(refusal: Refusal) -> None:
    assert refusal.fault() is None


def test_a_limit_that_no_test_shows_is_a_fault() -> None:
    known = of_page()[0]
    assert known.fault() is None
    for example, condition in ((known.example, "HUDILITE_NULL_KEY"), ("no such", known.condition)):
        assert Refusal("words", example, condition, known.shown).fault()
    assert Refusal("words", "a", "b", ROOT / "nowhere.sql").fault()


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_that_says_not_supported_names_the_error(page: Path) -> None:
    listed = of_list()
    name = page.relative_to(DOCS).as_posix() if page.is_relative_to(DOCS) else page.name
    refused = [one for one in sentences(page) if REFUSED.search(one)]
    unproven = [
        one
        for one in refused
        if not re.search(r"\b[A-Z]+_[A-Z_]+\b|what is not supported", one)
        and not any(of == name and words in one for of, words in listed)
    ]
    assert unproven == [], "name the condition, or add a line to refusals.txt"
    assert [one for one in sentences(page) if PLANS.search(one)] == []


def test_each_line_of_the_list_is_a_sentence_of_its_page() -> None:
    text = {page: " ".join((DOCS / page).read_text("utf-8").split()) for page, _ in of_list()}
    assert [words for page, words in of_list() if words not in text[page]] == []


def test_every_procedure_of_hudilite_is_on_the_page_of_procedures() -> None:
    text = (DOCS / "procedures" / "README.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| \[(\w+)\]\(\S+\) \| .*? \| (.*) \|$", text, re.MULTILINE))
    names = (DOCS / "procedures" / "hudi-names.md").read_text(encoding="utf-8")
    stock = set(re.findall(r"^\| ([a-z_]+) \|", names, re.MULTILINE))
    assert set(PROCEDURES) - stock <= set(rows) <= set(PROCEDURES)
    for name, arguments in rows.items():
        told = set(re.findall(r"(?:^|; |, or )(\w+)", re.sub(r"\([^)]*\)", "", arguments)))
        assert told == set(PROCEDURES[name]), name
