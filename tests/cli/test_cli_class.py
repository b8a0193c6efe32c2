"""`class`: one command opens the app for a class, and says who calls it how."""

import errno
import re
import socket
import subprocess
import sys

import pytest

from bnpexplorer.__main__ import main
from bnpexplorer.cli import classroom
from bnpexplorer.runs import gate, limits
from bnpexplorer.runs.saved.room import KEPT_FOR_LECTURER
from bnpexplorer.ui.frame import server
from tests.tools.serving import ROOT, asked, free_port, serving, socket_status
from tests.tools.waiting import NEVER

OPTIONS = ["--server.headless", "true", "--logger.hideWelcomeMessage", "true"]


@pytest.fixture
def started(monkeypatch):
    """What `streamlit run` would be called with, instead of calling it."""
    options = []
    monkeypatch.setattr(classroom, "open_app", lambda given: options.extend(given) or 0)
    for name in (classroom.SHARED, classroom.LECTURER):
        monkeypatch.setenv(name, "")  # so that it is as before afterwards
    return options


def test_it_says_where_students_and_the_lecturer_find_it(started, capsys):
    port = str(free_port())
    assert main(["class", "--address", "127.0.0.1", "--port", port]) == 0
    assert started == ["--server.address", "127.0.0.1", "--server.port", port, *OPTIONS]
    said = capsys.readouterr().out
    assert f"Students open   http://127.0.0.1:{port}\n" in said
    (secret,) = re.findall(rf"You open        http://127.0.0.1:{port}/\?link=([\w-]{{12}})\n", said)
    assert classroom.os.environ[classroom.LECTURER] == secret
    assert classroom.os.environ[classroom.SHARED] == "1"
    assert "proxy do TLS" in said
    assert f"caddy reverse-proxy --from NAME --to 127.0.0.1:{port}\n" in said


def test_a_proxy_s_name_is_served_and_a_link_of_one_s_own_stays(started, monkeypatch, capsys):
    monkeypatch.setenv(classroom.LECTURER, "mine-for-the-term")
    port = str(free_port())
    host = ["--host", "https://topics.example.org/", "--address", "127.0.0.1", "--port", port]
    assert main(["class", *host, "--", "--server.maxUploadSize", "20"]) == 0
    assert started[4:6] == ["--browser.serverAddress", "topics.example.org"]
    assert started[-2:] == ["--server.maxUploadSize", "20"]
    said = capsys.readouterr().out
    assert "Students open   https://topics.example.org\n" in said
    assert "You open        https://topics.example.org/?link=mine-for-the-term\n" in said
    assert "TLS" not in said
    assert main(["class", "--host", "lab-pc", "--port", port]) == 0
    assert f"Students open   http://lab-pc:{port}\n" in capsys.readouterr().out


def test_without_an_address_it_serves_all_and_names_one(started, monkeypatch, capsys):
    assert main(["class", "--port", str(free_port())]) == 0
    assert started[:2] == ["--server.address", "0.0.0.0"]
    assert "http://0.0.0.0" not in capsys.readouterr().out
    monkeypatch.setattr(classroom, "ELSEWHERE", ("no address", 9))
    for everywhere in ("0.0.0.0", "::"):
        assert classroom.reachable(everywhere) == socket.gethostname()


def test_an_address_of_ipv6_stands_in_brackets(started, monkeypatch, capsys):
    monkeypatch.setattr(classroom, "check_place", lambda address, port: None)
    assert main(["class", "--address", "::1", "--port", "8600"]) == 0
    said = capsys.readouterr().out
    assert "Students open   http://[::1]:8600\n" in said
    assert "You open        http://[::1]:8600/?link=" in said
    assert started[:2] == ["--server.address", "::1"]


def test_what_cannot_be_is_refused_in_a_sentence(started, capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for arguments, words in (
            (["--address", "127.0.0.1", "--port", port], f"Port {port} is taken"),
            (["--address", "192.0.2.7"], "192.0.2.7 is no address of this machine"),
            (["--address", "no.such.name.invalid"], "is no address of this machine"),
            (["--port", "70000"], "--port must be 1 to 65535; got 70000"),
            (["--host", "ftp://x"], "--host must be a name"),
            (["--host", "https://x/y"], "--host must be a name"),
            (["--host", "https://me@x"], "--host must be a name"),
            (["--host", "https://x?y"], "--host must be a name"),
            (["--host", "x#y"], "--host must be a name"),
        ):
            free = [] if "--port" in arguments else ["--port", str(free_port())]
            assert main(["class", *arguments, *free]) == 2
            said = capsys.readouterr().err
            assert words in said
            assert said.count("\n") == 1
    assert not started


@pytest.mark.parametrize("port", [-1, 0, 65536])
def test_a_port_is_one_of_those_that_there_are(port):
    with pytest.raises(ValueError, match=f"--port must be 1 to 65535; got {port}"):
        classroom.check_place("127.0.0.1", port)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (errno.EADDRINUSE, "Port 65535 is taken; end what uses it, or choose another by --port."),
        (errno.EACCES, "Port 65535 is not for this account; choose one above 1023 by --port."),
        (errno.EADDRNOTAVAIL, "::1 is no address of this machine; leave --address out for all."),
    ],
)
def test_why_nobody_can_listen_is_said(monkeypatch, error, said):
    asked = []

    def bind(probe, place):
        asked.append((probe.family, place))
        raise OSError(error, "no")

    monkeypatch.setattr(classroom.socket.socket, "bind", bind, raising=False)
    with pytest.raises(ValueError, match=re.escape(said)):
        classroom.check_place("::1", 65535)
    assert asked == [(socket.AF_INET6, ("::1", 65535))]


@pytest.mark.parametrize(
    ("host", "name", "whole"),
    [
        ("", "", ""),
        ("lab-pc", "lab-pc", ""),
        ("LAB:8080", "lab", ""),
        ("https://a.b/", "a.b", "https://a.b"),
        ("http://a.b:81", "a.b", "http://a.b:81"),
    ],
)
def test_a_host_is_a_name_or_an_address_to_open(host, name, whole):
    assert classroom.called(host) == (name, whole)


def test_an_address_of_its_own_is_the_one_to_reach():
    assert classroom.reachable("10.1.2.3") == "10.1.2.3"
    assert classroom._bracketed("::1") == "[::1]"
    assert classroom._bracketed("10.1.2.3") == "10.1.2.3"


def test_a_link_s_name_must_fit_into_an_address(started, monkeypatch, capsys):
    for name in ("two words of it", "a.b.c.d.e.f.g", "x" * 65, "smith", "x" * 11):
        monkeypatch.setenv(classroom.LECTURER, name)
        assert main(["class", "--port", str(free_port())]) == 2
        assert "BNPEXPLORER_LECTURER must be 12 to 64 letters" in capsys.readouterr().err
    assert not started


@pytest.mark.second
def test_a_real_class_serves_its_names_and_no_others(tmp_path):
    port = free_port()
    command = [sys.executable, "-m", "bnpexplorer", "class", "--host", "lab.example", "--port"]
    with serving(tmp_path, [*command, str(port)]) as process:
        for host in (f"127.0.0.1:{port}", f"10.9.8.7:{port}", "lab.example", socket.gethostname()):
            assert asked(port, "/", Host=host)[0] == 200, host
            assert socket_status(port, host, f"http://{host}") == 101, host
        assert asked(port, "/", Host="evil.example")[0] == 403
        for host, origin in (("evil.example", "evil.example"), ("lab.example", "203.0.113.9")):
            assert socket_status(port, host, f"http://{origin}") == 403
        process.terminate()
        assert process.wait(NEVER) == 0
    said = (tmp_path / "log.txt").read_text()
    assert "Students open   http://lab.example" in said
    assert "External URL" not in said


def test_what_the_docs_say_of_a_class_is_true():
    readme = (ROOT / "docs" / "guide" / "class.md").read_text()
    words = " ".join(readme.split())
    assert (server.PLACES, gate.TURN_SECONDS, KEPT_FOR_LECTURER) == (2, 10.0, 4)
    assert "Two runs compute at once. Where more want to, they take turns of ten seconds" in words
    assert "A third place and a quarter of the disk" in words
    assert "of 12 characters or more" in words
    assert f"All guests together may have {limits.MOST_GOING} runs going" in words
    assert f"may take {limits.MOST_MINUTES} minutes" in words
    (line,) = re.findall(r"^python -m bnpexplorer (class)$", readme, re.M)
    done = subprocess.run(
        [sys.executable, "-m", "bnpexplorer", line, "--help"], cwd=ROOT, capture_output=True
    )
    assert b"--host NAME" in done.stdout
