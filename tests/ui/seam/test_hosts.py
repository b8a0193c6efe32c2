"""Only who calls the server by its own name is answered (DNS rebinding), from its first start."""

import asyncio
import signal
import socket
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit import file_util
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

from bnpexplorer.ui.seam import callers, messages
from bnpexplorer.ui.seam import server as as_a_script
from bnpexplorer.ui.seam import server as static_folder
from bnpexplorer.ui.seam.callers import Hosts, OwnHostsOnly, name_of, name_of_origin
from tests.tools.serving import ROOT, STREAMLIT, asked, free_port, serving, socket_status
from tests.tools.waiting import NEVER, until

ROUTES = (
    ("GET", "/"),
    ("GET", "/live"),
    ("GET", "/_stcore/health"),
    ("GET", "/_stcore/host-config"),
    ("GET", "/_stcore/script-health-check"),
    ("GET", "/_stcore/metrics"),
    ("PUT", "/_stcore/upload_file/session/file"),
    ("DELETE", "/_stcore/upload_file/session/file"),
    ("OPTIONS", "/_stcore/upload_file/session/file"),
    ("GET", "/media/0123456789abcdef.csv"),
    ("GET", "/app/static/plotly.js"),
    ("GET", "/static/index.html"),
    ("GET", "/component/x/y.js"),
)
REFUSED = "This server does not answer under the name"
EVIL = "evil.example"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """README's plain start: its port."""
    folder, port = tmp_path_factory.mktemp("server"), free_port()
    with serving(folder, [*STREAMLIT, "--server.port", str(port)]) as process:
        yield port, process


def test_every_route_refuses_a_foreign_host_and_a_foreign_origin(server):
    port, _ = server
    for method, path in ROUTES:
        for host in ("localhost", f"localhost:{port}", f"127.0.0.1:{port}", f"[::1]:{port}"):
            status, words = asked(port, path, method, Host=host)
            assert REFUSED not in words, (method, path, host)
        assert REFUSED not in asked(port, path, method, Origin=f"http://localhost:{port}")[1]
        for headers in (
            {"Host": EVIL},
            {"Host": f"{EVIL}:{port}"},
            {"Host": f"localhost.{EVIL}:{port}"},
            {"Host": f"localhost@{EVIL}"},
            {"Host": ""},
            {"Origin": f"http://{EVIL}:{port}"},
            {"Origin": "null"},
            {"Host": f"{EVIL}:{port}", "Origin": f"http://{EVIL}:{port}"},
        ):
            status, words = asked(port, path, method, **headers)
            assert status in (400, 403), (method, path, headers)  # 400: h11 by itself
            assert status == 400 or REFUSED in words
    assert "--browser.serverAddress evil.example" in asked(port, "/", Host=EVIL)[1]


def test_the_socket_refuses_a_foreign_host_and_a_foreign_origin(server):
    port, _ = server
    for host, origin in (
        (f"localhost:{port}", None),
        (f"localhost:{port}", f"http://localhost:{port}"),
        (f"127.0.0.1:{port}", f"http://127.0.0.1:{port}"),
        (f"[::1]:{port}", f"http://[::1]:{port}"),
    ):
        assert socket_status(port, host, origin) == 101, (host, origin)
    for host, origin in (
        (f"{EVIL}:{port}", f"http://{EVIL}:{port}"),
        (f"{EVIL}:{port}", None),
        (f"localhost:{port}", f"http://{EVIL}:{port}"),
        (f"localhost:{port}", "null"),
        (f"localhost:{port}", "http://localhost:3000"),
        (f"10.0.0.5:{port}", f"http://10.0.0.5:{port}"),
    ):
        assert socket_status(port, host, origin) == 403, (host, origin)


@pytest.mark.second
@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="signals of POSIX")
def test_a_signal_ends_the_server_in_good_order(server):
    """The last request to this server: it ends. With -15 nothing would be saved (`atexit`)."""
    (port, process), large = server, next((ROOT / "static").glob("*.js"))
    with socket.socket() as reader:  # asks for more than all buffers hold, and reads none of it
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        reader.connect(("127.0.0.1", port))
        asks = f"GET /app/static/{large.name} HTTP/1.1\r\nHost: localhost\r\n\r\n"
        reader.sendall(asks.encode() * 20)
        assert reader.recv(1), "the server has begun to answer"
        process.send_signal(signal.SIGTERM)
        until(lambda: refuses(port))
        assert process.poll() is None, "nobody has waited for the reader"
        process.send_signal(signal.SIGINT)
        assert process.wait(NEVER) == 0


def refuses(port):
    """Whether the server listens no more."""
    with socket.socket() as caller:
        return caller.connect_ex(("127.0.0.1", port)) != 0


# ---- the rule by itself ------------------------------------------------------------------------


@pytest.fixture
def settings(monkeypatch):
    """What the server was started with."""
    chosen = {
        "server.address": "localhost",
        "browser.serverAddress": "localhost",
        "server.allowedHosts": [],
    }
    monkeypatch.setattr(callers.st, "get_option", chosen.__getitem__)
    monkeypatch.setattr(socket, "gethostname", lambda: "Lab-PC.uni.example")
    return chosen


def test_alone_only_this_machine_s_names_for_itself_are_served(settings):
    for address in ("localhost", "127.0.0.1", "::1"):
        settings["server.address"] = address
        assert callers.hosts() == Hosts(frozenset({"localhost", "127.0.0.1", "::1"}))


def test_open_to_a_network_it_is_called_by_any_address_and_the_machine_s_names(settings):
    for address in ("0.0.0.0", "::", ""):
        settings["server.address"] = address
        served = callers.hosts()
        for host in ("10.0.0.5:8501", "[fe80::1]:8501", "lab-pc", "LAB-PC.local", "localhost:1"):
            assert served.serves(host, []), host
            assert served.serves(host, [f"http://{host}"]), host
        for host in (EVIL, "10.0.0.5.evil.example", "0x7f.1", "", "10.0.0.5/x", "a@10.0.0.5"):
            assert not served.serves(host, []), host
        assert not served.serves("10.0.0.5:8501", ["http://203.0.113.9"]), "its page has a number"
        assert not served.serves("10.0.0.5:8501", ["http://10.0.0.5:3000"]), "another program's"
        assert not served.serves("localhost:8501", ["http://localhost:3000"]), "another program's"
    settings["server.address"] = "10.0.0.5"
    served = callers.hosts()
    assert served.serves("10.0.0.5:8501", ["http://10.0.0.5:8501"])
    assert not served.serves("10.0.0.6:8501", [])


def test_names_that_the_start_gives_are_served(settings):
    settings["browser.serverAddress"] = "Class.example.org/app"
    settings["server.allowedHosts"] = ["*.lab.example", "two.example."]
    served = callers.hosts()
    for host in ("class.example.org", "CLASS.example.org.:443", "a.lab.example", "two.example"):
        assert served.serves(host, [f"https://{host}"]), host
        assert served.serves("localhost:8501", [f"https://{host}"]), "a proxy's own Host"
    for host in ("lab.example", "alab.example", "org", "example.org"):
        assert not served.serves(host, []), host
    settings["browser.serverAddress"], settings["server.allowedHosts"] = "", [" "]
    assert not callers.hosts().serves("no name@", []), "an empty setting is no name"
    assert not callers.hosts().serves("localhost", ["null"])


@pytest.mark.parametrize(
    "host",
    ["a:b", "[::1", "x[::1]", "[::1]y", "", "a?b", "a#b", "u:p@a", "a:999999", "a/", "a b", "a%2e"],
)
def test_what_is_no_name_is_none(host):
    assert name_of(host) == name_of_origin(f"http://{host}") == ""
    for origin in ("null", "file:///x", "//localhost", "localhost", "ftp://localhost"):
        assert name_of_origin(origin) == ""


def test_a_second_host_or_none_is_refused(settings):
    heard, said = [], []

    async def app(scope, receive, send):
        heard.append(scope)

    async def send(message):
        said.append(message)

    guard = OwnHostsOnly(app)
    right, wrong = (b"host", b"localhost"), (b"host", b"evil.example")
    for headers in ([right, wrong], [wrong, right], [right, right], []):
        for kind in ("http", "websocket"):
            asyncio.run(guard({"type": kind, "headers": headers}, None, send))
    assert not heard
    assert [m.get("status") for m in said if m["type"] == "http.response.start"] == [403] * 4
    assert [m["code"] for m in said if m["type"] == "websocket.close"] == [1008] * 4
    asyncio.run(guard({"type": "lifespan"}, None, send))
    asyncio.run(guard({"type": "http", "headers": [right]}, None, send))
    assert len(heard) == 2


# ---- as a script -------------------------------------------------------------------------------


def test_nobody_waits_for_slow_readers_and_a_second_signal_ends_at_once(monkeypatch):
    class Started:
        """uvicorn's server, which handles signals itself."""

        should_exit = force_exit = False
        config = SimpleNamespace(timeout_graceful_shutdown=None)

        def handle_exit(self, number, frame):
            raise AssertionError("it would send itself the signal once more")

    server, handlers = Started(), {}
    monkeypatch.setattr(signal, "getsignal", lambda number: server.handle_exit)
    monkeypatch.setattr(signal, "signal", handlers.__setitem__)
    as_a_script.end_in_good_order()
    assert server.config.timeout_graceful_shutdown == as_a_script.PATIENCE
    handlers[signal.SIGTERM](signal.SIGTERM, None)
    assert (server.should_exit, server.force_exit) == (True, False)
    handlers[signal.SIGINT](signal.SIGINT, None)
    assert server.force_exit


def test_the_browser_opens_at_the_address_that_is_served(settings, monkeypatch):
    opened = []
    monkeypatch.setattr("streamlit.cli_util.open_browser", opened.append)
    monkeypatch.setattr("streamlit.web.server.server_util.get_url", lambda host: f"http://{host}")
    for headless, address, named, shown in (
        (True, "localhost", "localhost", []),
        (False, "localhost", "localhost", ["http://localhost"]),
        (False, "0.0.0.0", "localhost", ["http://localhost"]),
        (False, "10.0.0.5", "localhost", ["http://10.0.0.5"]),
        (False, "0.0.0.0", "class.example", ["http://class.example"]),
    ):
        opened.clear()
        settings |= {
            "server.headless": headless,
            "server.address": address,
            "browser.serverAddress": named,
        }
        as_a_script.open_browser()
        assert opened == shown


def test_the_app_that_streamlit_starts_has_the_guard_around_it():
    from streamlit.web.server.app_discovery import discover_asgi_app

    assert discover_asgi_app(ROOT / "app.py").import_string == "app:served"
    (guard,) = as_a_script.around()["middleware"]
    assert guard.cls is OwnHostsOnly


def test_a_variable_of_an_earlier_version_ends_the_start(monkeypatch):
    monkeypatch.setenv("BNPEXPLORER_TEXTS_MB", "500")
    with pytest.raises(SystemExit, match="TEXTS_MB is called BNPEXPLORER_MEMORY_MB now; set"):
        as_a_script.around()


@pytest.fixture
def fresh(monkeypatch, tmp_path):
    """Streamlit as nobody has mended it yet, in this process neither, and a fresh clone."""
    for module, name, attribute, kept in (
        (messages, messages.QUEUE, "clear", "_CLEAR"),
        (messages, messages.SESSION, "_create_scriptrunner", "_BEGIN"),
    ):
        plain = next(iter(getattr(module, kept)), getattr(name.find(), attribute))
        monkeypatch.setattr(module, kept, [])
        monkeypatch.setattr(name.find(), attribute, plain)
    monkeypatch.setattr(static_folder, "STATIC", tmp_path / "static")
    monkeypatch.setattr(file_util, "get_app_static_dir", file_util.get_app_static_dir)
    return tmp_path / "static"


def test_a_tick_drops_nothing_from_the_start_of_the_server_on(fresh):
    def left_by_a_tick():
        queue, drawn = ForwardMsgQueue(), ForwardMsg()
        drawn.delta.new_element.text.body = "drawn"
        drawn.metadata.active_script_hash = "page"
        drawn.delta.fragment_id = "tick"
        queue.enqueue(drawn)
        queue.clear(fragment_ids_this_run=["tick"])
        return [message.delta.new_element.text.body for message in queue.flush()]

    assert left_by_a_tick() == [], "Streamlit by itself"
    as_a_script.around()
    assert left_by_a_tick() == ["drawn"]


@pytest.mark.second
def test_scripts_are_heard_out_from_the_start_of_the_server_on(fresh):
    as_a_script.around()
    assert AppSession._create_scriptrunner is messages._begin_when_heard


@pytest.mark.second
def test_plotly_lies_there_before_the_server_looks_for_the_folder(fresh):
    as_a_script.around()
    (served,) = fresh.iterdir()
    assert served.name == static_folder.PLOTLY_FILE
    assert b"plotly.js v" in served.read_bytes()[:200]


@pytest.mark.second
def test_where_nobody_may_write_beside_the_app_plotly_is_served_from_the_cache(
    fresh, monkeypatch, tmp_path
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    fresh.write_text("a file in its place")
    as_a_script.around()
    looked_at = Path(file_util.get_app_static_dir(str(tmp_path / "app.py")))
    assert looked_at.is_relative_to(tmp_path / "cache")
    served = looked_at / static_folder.PLOTLY_FILE
    assert b"plotly.js v" in served.read_bytes()[:200]
    served.write_text("another file")
    assert static_folder.serve_plotly()
    assert b"plotly.js v" in served.read_bytes()[:200]


@pytest.mark.second
def test_where_nobody_may_write_at_all_or_nothing_is_served_figures_are_told(fresh, monkeypatch):
    def nowhere(name):
        raise PermissionError(name)

    fresh.write_text("a file in its place")
    monkeypatch.setattr(static_folder, "cache_folder", nowhere)
    assert not static_folder.serve_plotly()
    as_a_script.around()
    fresh.unlink()
    monkeypatch.setattr(static_folder.st, "get_option", lambda name: False)
    assert not static_folder.serve_plotly()
    assert not fresh.exists()
