"""`methods` and `warm`: which inference methods there are, and their kernels compiled now."""

import argparse
import time

from ..core.knob import knobs_of
from ..methods import METHODS, make_method, methods_markdown
from ..methods.base import Method, said_of_threads
from ..runs.warming import warm
from .printing import Out


def list_methods(options: argparse.Namespace) -> int:
    if options.markdown:
        print(methods_markdown())
        return 0
    out, facts = Out(options), []
    for name, method in METHODS.items():
        out.say(
            f"{name:<14} {method.title}\n{'':<14} {method.source}",
            f"{'':<14} {method.kind}; can learn: {', '.join(method.learnable()) or 'nothing'}",
            f"{'':<14} presets: {', '.join(method.presets)}",
            f"{'':<14} settings: {', '.join(_settings_of(method))}",
            f"{'':<14} {said_of_threads(method)}",
        )
        facts.append(
            {
                "name": name,
                "title": method.title,
                "source": method.source,
                "kind": method.kind,
                "learnable": list(method.learnable()),
                "presets": list(method.presets),
                "settings": _settings_of(method),
                "threads": said_of_threads(method),
            }
        )
    out.give({"methods": facts})
    return 0


def _settings_of(method: type[Method]) -> list[str]:
    """Return the names that `--set` takes: the fields of the model, then the knobs."""
    usual = method()
    return [name for settings in (usual.model, usual) for name, _, _ in knobs_of(settings)]


def compile_kernels(options: argparse.Namespace) -> int:
    out, facts = Out(options), []
    for name in options.names or METHODS:
        started = time.perf_counter()
        warm(make_method(name), to_the_end=True)
        seconds = time.perf_counter() - started
        out.say(f"{name:<14} ready after {seconds:.1f} s")
        facts.append({"method": name, "seconds": seconds})
    out.give({"ready": facts})
    return 0
