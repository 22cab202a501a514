"""What the documents name as proof is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = ("scheduling.md", "orders.md")
TESTS = {path: path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py")}


def proofs() -> list[str]:
    """Everything in backticks after "Proved"."""
    text = "\n".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in DOCUMENTS)
    return sorted({name for line in re.findall(r"Proved: ([^|\n]*)", text) for name in re.findall(r"`([^`]+)`", line)})


@pytest.mark.parametrize("proof", proofs())
def test_a_proof_that_is_named_is_a_file_or_a_test(proof: str) -> None:
    if "/" in proof:
        assert (ROOT / proof).is_file()
    else:
        assert any(f"def test_{proof}" in text for text in TESTS.values())


def test_there_are_proofs() -> None:
    assert len(proofs()) > 100


def test_nothing_that_can_go_wrong_with_an_order_stands_without_its_proof() -> None:
    text = (ROOT / "docs" / "orders.md").read_text(encoding="utf-8")
    rows = [line for line in text.partition("| What goes wrong |")[2].splitlines()[2:] if line.startswith("| ")]
    failures = [row for row in rows if not row.startswith("| **")]
    assert len(failures) > 35
    assert [row for row in failures if "Proved: `" not in row] == []
