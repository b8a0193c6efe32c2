"""What numba is told of kernels."""

import hashlib
import re
from types import SimpleNamespace
from typing import Any

import pytest
from numba.core import types

from bnpexplorer.kernels import admixture, jit, processor, special


def _moved(place: int, by: int) -> int:
    return place + by


def test_kernels_that_hand_on_a_plain_number_share_one_signature(monkeypatch):
    monkeypatch.setattr(jit, "KERNELS", [])
    moved = jit.kernel(_moved)
    for by in (1, -1):
        moved.get_call_template((types.int64, types.literal(by)), {})
        moved.get_call_template((types.int64,), {"by": types.literal(by)})
    assert moved.signatures == [(types.int64, types.int64)]


def test_kernels_hold_no_lock_and_only_sums_that_say_so_are_added_in_another_order():
    """Bits must not depend on the processor but for products that are fused, and for `summing`."""
    found: list[Any] = list(jit.KERNELS)
    assert {admixture.share_out, special.dot} <= set(found)
    for kernel in found:
        options = kernel.targetoptions
        assert (options["nogil"], options["error_model"]) == (True, "numpy")
        assert not options.get("parallel")
        assert set(options["fastmath"]) <= {"contract", "reassoc"}
        if "reassoc" in options["fastmath"]:
            assert not options["forceinline"]
    named = {kernel.__name__: set(kernel.targetoptions["fastmath"]) for kernel in found}
    assert named["fit_documents"] == named["draw_index"] == set()
    assert named["share_out"] == named["dot"] == {"contract", "reassoc"}


@pytest.mark.parametrize("was_on", [True, False])
def test_nothing_is_collected_while_kernels_compile(was_on, monkeypatch):
    """Of nested ones until the outermost has ended; then as before."""
    calls: list[str] = []
    there = SimpleNamespace(
        isenabled=lambda: was_on,
        disable=lambda: calls.append("off"),
        enable=lambda: calls.append("on"),
    )
    monkeypatch.setattr(jit, "gc", there)
    listener = jit._NoCollection()
    listener.on_start(None)
    listener.on_start(None)
    listener.on_end(None)
    assert calls == ["off"]
    listener.on_end(None)
    assert calls == (["off", "on"] if was_on else ["off"])
    listener.on_start(None)
    assert calls[-1] == "off"


def test_a_processor_goes_by_its_name_and_features_as_numba_was_told(monkeypatch):
    told = SimpleNamespace(CPU_NAME=None, CPU_FEATURES=None)
    monkeypatch.setattr(processor.numba, "config", told)
    own = processor.processor()
    assert re.fullmatch(r"\S+ \([0-9a-f]{8}\)", own)
    told.CPU_FEATURES = "+avx,+sse"
    some = processor.processor()
    told.CPU_FEATURES = "+sse,+avx"
    assert processor.processor() == some != own, "in whatever order they were told"
    told.CPU_NAME = "generic"
    assert processor.processor().startswith("generic (")
    told.CPU_FEATURES = None
    assert processor.processor() == f"generic ({hashlib.sha256(b'').hexdigest()[:8]})"
