"""The public name of `bnpexplorer.plugins.interchange`, where what it offers is defined."""

from typing import Any

from .core.plugins import plugin


def __getattr__(name: str) -> Any:
    """Return a function of the plugin, or its `__all__`, for `from ... import *`."""
    if name == "__path__":  # this is a module, not a package
        raise AttributeError(name)
    return getattr(plugin("interchange"), name)


def __dir__() -> list[str]:
    return list(plugin("interchange").__all__)
