"""Threads: what the variable says, the cores for this process, and which thread stands back."""

import os
import sys
import threading

import pytest

from bnpexplorer.core import environment
from bnpexplorer.core.environment import usable_cores, usual_threads
from bnpexplorer.corpus.intake.held import held_limit
from bnpexplorer.corpus.intake.usage import reading_limits
from bnpexplorer.runs.limits import memory_limit
from tests.tools.system import write


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("two", "BNPEXPLORER_THREADS must be a whole number of threads; got 'two'"),
        ("1.5", "a whole number of threads; got '1.5'"),
        ("-1", "a whole number of threads; got '-1'"),
        ("0", "BNPEXPLORER_THREADS must be 1 or more; got 0"),
    ],
)
def test_a_mistyped_number_is_refused(monkeypatch, value, said):
    monkeypatch.setenv("BNPEXPLORER_THREADS", value)
    with pytest.raises(ValueError, match=said):
        usual_threads()


def test_the_variable_or_else_all_cores(monkeypatch):
    monkeypatch.setenv("BNPEXPLORER_THREADS", "17")
    assert usual_threads() == 17
    monkeypatch.setenv("BNPEXPLORER_THREADS", " ")
    assert usual_threads() == usable_cores()


@pytest.mark.parametrize("old", environment.OLD_NAMES)
def test_a_variable_of_an_earlier_version_is_refused_and_the_new_one_named(monkeypatch, old):
    monkeypatch.setenv(old, " ")
    environment.refuse_old_names()
    monkeypatch.setenv(old, "100")
    said = f"^{old} is called BNPEXPLORER_MEMORY_MB now; set BNPEXPLORER_MEMORY_MB instead\\.$"
    for limit in (environment.refuse_old_names, memory_limit, reading_limits, held_limit):
        with pytest.raises(ValueError, match=said):
            limit()


@pytest.fixture
def sixteen(monkeypatch):
    """A machine whose 16 cores are all for this process."""
    monkeypatch.delattr(os, "process_cpu_count", raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(16)), raising=False)


V1 = "4:memory:/jobs\n3:cpu,cpuacct:/jobs/mine\n"
LIMITS = {
    "no group": ({}, 16),
    "no limit": ({"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/cpu.max": "max 100000\n"}, 16),
    "of its own": (
        {"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/cpu.max": "300000 100000\n"},
        3,
    ),
    "a container's": (
        {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "200000 100000\n"},
        2,
    ),
    "of one above": (
        {
            "proc/self/cgroup": "0::/a/b\n",
            "sys/fs/cgroup/a/cpu.max": "200000 100000\n",
            "sys/fs/cgroup/a/b/cpu.max": "900000 100000\n",
        },
        2,
    ),
    "of a part of a core": (
        {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "150000 100000\n"},
        2,
    ),
    "of a small part": (
        {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "1000 100000\n"},
        1,
    ),
    "larger than the machine": (
        {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "9900000 100000\n"},
        16,
    ),
    "nonsense": ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "many\n"}, 16),
    "version 1": (
        {
            "proc/self/cgroup": V1,
            "sys/fs/cgroup/cpu,cpuacct/jobs/mine/cpu.cfs_quota_us": "-1\n",
            "sys/fs/cgroup/cpu,cpuacct/jobs/mine/cpu.cfs_period_us": "100000\n",
            "sys/fs/cgroup/cpu,cpuacct/jobs/cpu.cfs_quota_us": "400000\n",
            "sys/fs/cgroup/cpu,cpuacct/jobs/cpu.cfs_period_us": "100000\n",
        },
        4,
    ),
}


@pytest.mark.parametrize(("files", "expected"), LIMITS.values(), ids=LIMITS)
def test_a_limit_of_the_control_group_counts(sixteen, tmp_path, files, expected):
    write(tmp_path, files)
    assert usable_cores(tmp_path) == expected


def test_cores_that_are_not_for_this_process_do_not_count(sixteen, monkeypatch, tmp_path):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {3, 5}, raising=False)
    assert usable_cores(tmp_path) == 2


def test_there_is_a_core_where_the_system_tells_nothing(monkeypatch, tmp_path):
    monkeypatch.delattr(os, "process_cpu_count", raising=False)
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert usable_cores(tmp_path) == 1
    assert environment.usable_cores() >= 1


@pytest.mark.parametrize(
    ("value", "shared"),
    [("", False), (" ", False), ("0", False), (" 0 ", False), ("1", True), ("yes", True)],
)
def test_a_server_is_shared_unless_the_variable_is_empty_or_0(monkeypatch, value, shared):
    monkeypatch.setenv("BNPEXPLORER_SHARED", value)
    assert environment.is_shared() is shared


def test_each_time_a_thread_stands_back_it_is_five_steps_further(monkeypatch):
    """Only Linux knows the priority of a thread."""
    at, thread = [3], threading.get_native_id()

    def look(which, who):
        assert (which, who) == (os.PRIO_PROCESS, thread)
        return at[-1]

    def put(which, who, value):
        assert (which, who) == (os.PRIO_PROCESS, thread)
        at.append(value)

    monkeypatch.setattr(os, "getpriority", look, raising=False)
    monkeypatch.setattr(os, "setpriority", put, raising=False)
    monkeypatch.setattr(os, "PRIO_PROCESS", 0, raising=False)
    for system in ("linux", "linux", "darwin"):
        monkeypatch.setattr(sys, "platform", system)
        environment.stand_back()
    assert at == [3, 8, 13]
    assert environment.niceness() == 0, "no other system tells"
