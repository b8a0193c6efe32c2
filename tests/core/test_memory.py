"""Memory: what the system leaves to this process, by its control group, and what is too little."""

import ctypes
import os
from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer.core import environment
from bnpexplorer.core.environment import LEAST, TAKEN, shortage, usable_memory
from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.corpus.intake.held import held_limit
from bnpexplorer.corpus.intake.usage import reading_limits
from bnpexplorer.methods import make_method
from bnpexplorer.runs.limits import check_memory, file_limit, memory_limit, topics_bytes
from tests.tools.system import write

GB = 2**30
V1 = "9:cpu,cpuacct:/jobs\n4:memory:/jobs/mine\n"
LIMITS = {
    "no group": ({}, 16 * GB),
    "no limit": ({"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n"}, 16 * GB),
    "of its own": (
        {"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": f"{3 * GB}\n"},
        3 * GB,
    ),
    "a container's, whose path is not there": (
        {"proc/self/cgroup": "0::/machine/x\n", "sys/fs/cgroup/memory.max": f"{2 * GB}\n"},
        2 * GB,
    ),
    "of one above": (
        {
            "proc/self/cgroup": "0::/a/b\n",
            "sys/fs/cgroup/a/memory.max": f"{2 * GB}\n",
            "sys/fs/cgroup/a/b/memory.max": f"{9 * GB}\n",
        },
        2 * GB,
    ),
    "larger than the machine": (
        {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": f"{99 * GB}\n"},
        16 * GB,
    ),
    "nonsense": ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "much\n"}, 16 * GB),
    "version 1": (
        {
            "proc/self/cgroup": V1,
            "sys/fs/cgroup/memory/jobs/mine/memory.limit_in_bytes": "9223372036854771712\n",
            "sys/fs/cgroup/memory/jobs/memory.limit_in_bytes": f"{4 * GB}\n",
        },
        4 * GB,
    ),
    "version 1 without": (
        {
            "proc/self/cgroup": V1,
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
        },
        16 * GB,
    ),
}


def machine(monkeypatch, n_bytes):
    """One with so much memory, in pages of 4 kB."""
    there = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": n_bytes // 4096}
    monkeypatch.setattr(os, "sysconf", there.__getitem__, raising=False)


@pytest.mark.parametrize(("files", "expected"), LIMITS.values(), ids=LIMITS)
def test_a_limit_of_the_control_group_counts(monkeypatch, tmp_path, files, expected):
    machine(monkeypatch, 16 * GB)
    write(tmp_path, files)
    assert usable_memory(tmp_path) == expected


def test_windows_says_it_in_its_own_way(monkeypatch, tmp_path):
    def status(pointer):
        assert pointer._obj.length == ctypes.sizeof(environment._Status) == 64
        pointer._obj.total = 12 * GB
        return 1

    kernel = SimpleNamespace(GlobalMemoryStatusEx=status)
    monkeypatch.setattr(ctypes, "windll", SimpleNamespace(kernel32=kernel), raising=False)
    monkeypatch.delattr(os, "sysconf")
    assert usable_memory(tmp_path) == 12 * GB


def test_a_system_that_does_not_tell_has_some(monkeypatch, tmp_path):
    def refuses(name):
        raise ValueError(name)

    monkeypatch.setattr(os, "sysconf", refuses, raising=False)
    assert usable_memory(tmp_path) == environment.UNKNOWN


def test_shortage_is_said_in_one_sentence_with_the_remedy():
    assert shortage(LEAST) == ""
    said = shortage(690 * 2**20)
    assert "There are 690 MB of memory here" in said
    assert "1,024 MB or more" in said
    assert said.count(". ") == 0
    assert TAKEN < LEAST


@pytest.mark.parametrize(
    ("megabytes", "one_run", "texts", "reader"),
    [
        (690, 86, 345, 300),
        (1024, 304, 512, 524),
        (2048, 1024, 1024, 1500),
        (65536, 32768, 4096, 1500),
    ],
)
def test_what_fits_follows_from_it(monkeypatch, megabytes, one_run, texts, reader):
    """Of a small memory a run has what the app leaves, and an eighth at least."""
    monkeypatch.delenv("BNPEXPLORER_MEMORY_MB", raising=False)
    for room in ("runs.limits", "corpus.intake.held", "corpus.intake.usage"):
        there = f"bnpexplorer.{room}.usable_memory"
        monkeypatch.setattr(there, lambda: megabytes * 2**20)
    assert memory_limit() // 2**20 == one_run
    assert held_limit() // 2**20 == texts
    assert reading_limits().megabytes == reader


def test_one_variable_limits_a_run_texts_and_the_reader(monkeypatch):
    monkeypatch.setenv("BNPEXPLORER_MEMORY_MB", "2000")
    assert memory_limit() == held_limit() == 2000 * 2**20
    assert file_limit() == reading_limits().handed_over < memory_limit()
    assert reading_limits().megabytes == 2000
    monkeypatch.setenv("BNPEXPLORER_MEMORY_MB", "7")
    assert memory_limit() == held_limit() == file_limit() == 7 * 2**20
    assert reading_limits().megabytes == 300, "with less it reads nothing"


def test_a_run_that_does_not_fit_is_refused_with_what_it_needs_and_what_it_may_take(monkeypatch):
    method = SimpleNamespace(
        name="some-method",
        model=SimpleNamespace(),
        memory=lambda corpus: 3500 * 2**20,
        looks_beyond=lambda: False,
    )
    corpus = Corpus.from_csr(np.ones((1200, 3), int))
    monkeypatch.setenv("BNPEXPLORER_MEMORY_MB", "3500")
    check_memory(method, corpus)
    monkeypatch.setenv("BNPEXPLORER_MEMORY_MB", "1500")
    with pytest.raises(ValueError, match="some-method") as refused:
        check_memory(method, corpus)
    assert str(refused.value) == (
        "some-method would need about 3,500 MB for these 1,200 documents of 3 words, and one run "
        "may take 1,500 MB. Choose fewer topics or a method that reads mini-batches, take fewer "
        "documents or words, or raise BNPEXPLORER_MEMORY_MB."
    )


@pytest.mark.parametrize(
    ("name", "values", "n_topics"),
    [("lda-svi", {"n_topics": 7}, 7), ("hdp-svi", {"truncation": 5}, 5), ("hdp-tsvi", {}, 0)],
)
def test_topics_that_are_there_from_the_start_are_counted_three_times(name, values, n_topics):
    """Eight bytes for each of three words; where topics come as they are needed there are none."""
    corpus = Corpus.from_csr(np.ones((4, 3), int))
    assert topics_bytes(make_method(name, values=values), corpus) == 3 * 8 * 3 * n_topics
