"""Functions, files and words of the product keep the shape that CONTRIBUTING asks for."""

import ast
import re
import statistics

import pytest

from tests.house import source

LONGEST_FUNCTION, MEDIAN_FUNCTION, LONGEST_FILE = 25, 8, 300
PROMISES = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|NotImplementedError")
NO_ENVIRONMENT = {
    "monitor_site/settings.py": "the one reader",
}
FOUND_BY_DJANGO = {"Meta", "Command", "Media"}
BAD_NAMES = {"utils.py", "helpers.py", "common.py", "misc.py", "signals.py"}


def length(function: source.FUNCTION) -> int:
    """Lines from ``def`` to the end, without docstring and decorators."""
    body = function.body[1:] if ast.get_docstring(function) else function.body
    return 1 + (function.end_lineno - body[0].lineno + 1 if body else 0)


def test_no_function_is_longer_than_a_look():
    too_long = [
        f"{module.name}:{function.lineno} {function.name} has {length(function)} lines"
        for module in source.product()
        for function in module.functions()
        if length(function) > LONGEST_FUNCTION
    ]
    assert not too_long, "\n".join(too_long)


def test_the_median_function_is_short():
    lengths = [length(function) for module in source.product() for function in module.functions()]
    assert statistics.median(lengths) <= MEDIAN_FUNCTION


def test_no_file_is_longer_than_three_hundred_lines():
    lengths = {module.name: module.text.count("\n") for module in source.product()}
    assert not {name: lines for name, lines in lengths.items() if lines > LONGEST_FILE}


def test_no_file_is_called_utils():
    assert not [module.name for module in source.product() if module.path.name in BAD_NAMES]


def public_things(node: ast.AST, inside: str = "") -> list[tuple[str, ast.AST]]:
    """Public classes, functions and methods; what stands inside a function is its own affair."""
    found: list[tuple[str, ast.AST]] = []
    for child in getattr(node, "body", []):
        if not isinstance(child, ast.ClassDef | source.FUNCTION) or child.name.startswith("_"):
            continue
        if child.name in FOUND_BY_DJANGO:
            continue
        found.append((f"{inside}{child.name}", child))
        if isinstance(child, ast.ClassDef):
            found += public_things(child, f"{inside}{child.name}.")
    return found


def overrides(name: str) -> bool:
    """Methods that a framework calls say nothing new."""
    return name.rsplit(".", 1)[-1] in {"ready", "handle", "add_arguments", "get_queryset", "has_add_permission"}


def is_admin(module: source.Module) -> bool:
    """Django explains admin classes, their options and their hooks."""
    return module.path.name in {"admin.py", "apps.py"} or "/admin/" in module.name


def test_every_public_thing_says_what_it_is():
    silent = [
        f"{module.name}: {name}"
        for module in source.product()
        if not is_admin(module)
        for name, node in public_things(module.tree)
        if not overrides(name) and not ast.get_docstring(node)
    ]
    assert not silent, "\n".join(silent)


def test_every_module_says_what_it_is():
    assert not [m.name for m in source.product() if m.text.strip() and not ast.get_docstring(m.tree)]


def test_nothing_is_promised_for_later():
    files = [m for m in (*source.product(), *source.modules("scripts")) if PROMISES.search(m.text)]
    assert not [m.name for m in files]


def environment_reads(module: source.Module) -> list[str]:
    """Lines that read or change the environment."""
    names = {"os.environ", "os.getenv", "os.environb", "os.putenv", "environ", "getenv"}
    return [
        f"{module.name}:{node.lineno}"
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute | ast.Name) and source.dotted(node) in names
    ]


def says_where_settings_are(module: source.Module, line: str) -> bool:
    """Entry points name the settings module to Django; that is no setting."""
    text = module.text.splitlines()[int(line.rsplit(":", 1)[1]) - 1]
    return 'setdefault("DJANGO_SETTINGS_MODULE"' in text


def test_only_settings_read_the_environment():
    reads = [
        line
        for module in source.product()
        if module.name not in NO_ENVIRONMENT
        for line in environment_reads(module)
        if not says_where_settings_are(module, line)
    ]
    assert not reads, "\n".join(reads)


# Why a test may wait for time itself. Everything else waits for a fact: a row, a reply, a port.
MAY_SLEEP = {
    "tests/servers.py": "polls a port until a server listens",
    "tests/postgres_keeper.py": "polls a process until it is gone",
    "tests/marketplaces/test_session.py": "plays servers that drip",
    "tests/conformance/jobs.py": "plays jobs that take longer than they may",
    "tests/conformance/test_databases.py": "plays writers that pause between what they write",
    "tests/faults/test_chaos.py": "its faults come by the clock, and a worker stands for longer than its leases",
    "tests/waiting.py": "polls what other processes and threads do",
}


def sleeps(module: source.Module) -> list[str]:
    """Calls of sleep with anything but a plain 0."""
    calls = [node for node in ast.walk(module.tree) if isinstance(node, ast.Call)]
    return [
        f"{module.name}:{call.lineno}"
        for call in calls
        if source.dotted(call.func) in {"time.sleep", "asyncio.sleep", "sleep"}
        and not (call.args and isinstance(call.args[0], ast.Constant) and call.args[0].value == 0)
    ]


def test_no_test_sleeps():
    lines = [line for module in source.tests() if module.name not in MAY_SLEEP for line in sleeps(module)]
    assert not lines, "\n".join(lines)


@pytest.mark.parametrize("name", MAY_SLEEP)
def test_whoever_may_sleep_still_does(name):
    assert any(sleeps(module) for module in source.tests() if module.name == name)


def test_test_names_are_sentences():
    short = [
        f"{module.name}: {function.name}"
        for module in source.tests()
        for function in module.functions()
        if function.name.startswith("test_") and function.name.count("_") < 2
    ]
    assert not short, "\n".join(short)
