"""A plugin that is a folder: how it is imported, wherever it lies."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from .whole import NotWhole

PACKAGE = "plugins"


def import_folder(folder: Path) -> ModuleType:
    """Import a folder as ``plugins.<its name>``, wherever it lies, so that its own imports work as written."""
    name, path = f"{PACKAGE}.{folder.name}", folder / "__init__.py"
    if (known := sys.modules.get(name)) and Path(known.__file__ or "").resolve() == path.resolve():
        return known
    _forget(name)
    if not path.is_file():
        raise NotWhole("it has no __init__.py")
    return _execute(name, path)


def _execute(name: str, path: Path) -> ModuleType:
    spec = spec_from_file_location(name, path, submodule_search_locations=[str(path.parent)])
    if spec is None or spec.loader is None:
        raise NotWhole("it cannot be imported")
    module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        _forget(name)
        raise
    if parent := sys.modules.get(PACKAGE):
        setattr(parent, path.parent.name, module)
    return module


def _forget(name: str) -> None:
    """Half a plugin must not be found by the next import."""
    for module in [known for known in sys.modules if known == name or known.startswith(f"{name}.")]:
        del sys.modules[module]
