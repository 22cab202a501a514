"""Where a plugin came from, so that another process can load it again."""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from ..marketplace import Plugin
from ..rules import PACKAGE, import_folder


def plugin_in(folder: Path) -> Plugin:
    """The plugin of a folder, imported as the catalog does it. Raises what the import raises."""
    plugin: Plugin = import_folder(folder.resolve()).plugin
    return plugin


def origin_of(plugin: Plugin) -> dict[str, str]:
    """How to load it elsewhere, for :func:`load`: the folder, or the module, that exports it."""
    exporters = [
        m for m in list(sys.modules.values()) if getattr(m, "plugin", None) is plugin and m.__name__ != "__main__"
    ]
    packages = [module for module in exporters if hasattr(module, "__path__")]
    if not exporters:
        raise LookupError("no module exports this plugin as `plugin`")
    module = (packages or exporters)[0]
    if module.__name__.startswith(f"{PACKAGE}.") and module.__file__:
        return {"folder": str(Path(module.__file__).parent)}
    return {"module": module.__name__}


def load(origin: dict[str, str]) -> Any:
    """What ``plugin`` is there, in a process that has not seen it yet."""
    module = import_folder(Path(origin["folder"])) if "folder" in origin else import_module(origin["module"])
    return getattr(module, "plugin", None)
