"""Streamlit's runtime without its server: scripts run as for a browser, and messages are kept."""

import asyncio
import threading
from concurrent.futures import Future

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime import Runtime, RuntimeConfig
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.runtime import RuntimeState

from .pages import ROOT
from .waiting import NEVER, until


class Browser:
    """A browser's end of the connection: it keeps what comes."""

    client_context = None

    def __init__(self):
        self.messages = []

    def write_forward_msg(self, message):
        self.messages.append(message)

    @property
    def finished(self):
        """How many scripts have ended."""
        return sum(m.WhichOneof("type") == "script_finished" for m in self.messages)


class Streamlit:
    """Streamlit's own runtime with the app, or another script, in a thread with its event loop."""

    def __init__(self, script=ROOT / "app.py"):
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        config = RuntimeConfig(
            script_path=str(script),
            media_file_storage=MemoryMediaFileStorage("/media"),
            uploaded_file_manager=MemoryUploadedFileManager("/upload"),
        )
        self.runtime = self.call(lambda: Runtime(config))
        asyncio.run_coroutine_threadsafe(self.runtime.start(), self.loop).result(10)

    def call(self, act):
        """Do something on the thread of the event loop, where the runtime wants it."""
        found = Future()
        self.loop.call_soon_threadsafe(lambda: found.set_result(act()))
        return found.result(10)

    def open(self, query):
        """A tab at this address, once its page is drawn: its name."""
        browser = Browser()
        tab = self.call(lambda: self.runtime.connect_session(browser, {}))
        message = BackMsg()
        message.rerun_script.query_string = query
        self.send(tab, message)
        until(lambda: browser.finished)
        return tab

    def reconnect(self, tab):
        """The tab's browser is there again: its name."""
        return self.call(lambda: self.runtime.connect_session(Browser(), {}, tab))

    def send(self, tab, message):
        self.call(lambda: self.runtime.handle_backmsg(tab, message))

    def close(self):
        self.call(self.runtime.stop)
        until(lambda: self.runtime.state is RuntimeState.STOPPED)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(NEVER)
        Runtime._instance = None
