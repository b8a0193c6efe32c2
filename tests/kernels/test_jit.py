"""What numba is told of kernels."""

from numba.core import types

from bnpexplorer.kernels import jit


def _moved(place: int, by: int) -> int:
    return place + by


def test_kernels_that_hand_on_a_plain_number_share_one_signature(monkeypatch):
    monkeypatch.setattr(jit, "KERNELS", [])
    moved = jit.kernel(_moved)
    for by in (1, -1):
        moved.get_call_template((types.int64, types.literal(by)), {})
        moved.get_call_template((types.int64,), {"by": types.literal(by)})
    assert moved.signatures == [(types.int64, types.int64)]
