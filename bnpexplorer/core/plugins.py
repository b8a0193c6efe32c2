"""The table of plugins: what the rooms of `bnpexplorer/plugins` add to the others.

No other room imports a plugin. One that uses a plugin asks for it here by name, and it is imported
then. Without its plugin all else works.
"""

from importlib import import_module
from typing import Any

PLUGINS = {
    "cluster": ".plugins.cluster",
    "cluster command": ".plugins.cluster.command",
    "corpus build": ".plugins.building.command:build_corpus",
    "build pages": ".plugins.building.pages",
    "head of files": ".plugins.building.head:head_of",
    "interchange": ".plugins.interchange",
    "export formats": ".plugins.interchange:WRITERS",
    "downloads": ".plugins.interchange.downloads:DOWNLOADS",
}
"""Name -> module, or "module:object" in it."""
TOP = __package__.rpartition(".")[0]


class PluginMissing(ValueError):
    """A plugin that is not part of this installation."""


def plugin(name: str) -> Any:
    """Return the object that a plugin offers by a name of the table. Raises PluginMissing with a
    sentence if it cannot be imported."""
    module, _, thing = PLUGINS[name].partition(":")
    try:
        found = import_module(module, TOP)
    except ImportError as problem:
        raise PluginMissing(
            f"This needs {TOP}{module}, which cannot be imported ({problem}); install {TOP} again."
        ) from problem
    return getattr(found, thing) if thing else found


def plugin_if_there(name: str) -> Any | None:
    """Return the object that a plugin offers, or None if it cannot be imported."""
    try:
        return plugin(name)
    except PluginMissing:
        return None
