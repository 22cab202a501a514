"""The product's own source, parsed once, for the tests about its shape."""

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Module:
    """One file with its text and tree."""

    path: Path
    text: str
    tree: ast.Module

    @property
    def name(self) -> str:
        """Its path inside the repository."""
        return self.path.relative_to(ROOT).as_posix()

    def functions(self) -> list[FUNCTION]:
        """All functions and methods."""
        return [node for node in ast.walk(self.tree) if isinstance(node, FUNCTION)]


@cache
def modules(*folders: str) -> tuple[Module, ...]:
    """All Python files below ``folders``, migrations apart."""
    paths = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    return tuple(
        Module(path, text := path.read_text("utf-8"), ast.parse(text))
        for path in paths
        if not {"migrations", "__pycache__"} & set(path.parts)
    )


def product() -> tuple[Module, ...]:
    """What is shipped."""
    return modules("monitor_site", "plugins")


def tests() -> tuple[Module, ...]:
    """What proves it."""
    return modules("tests")


def dotted(node: ast.AST) -> str:
    """``a.b.c`` for such an expression, else nothing."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (before := dotted(node.value)):
        return f"{before}.{node.attr}"
    return ""
