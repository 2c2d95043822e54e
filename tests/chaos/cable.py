"""The line between the application and an endpoint, which can be cut and mended."""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any


class Cable:
    """Passes bytes on from a port of its own to another, both ways, until it is cut.

    While it is cut nobody listens at `port`, and what went over it is reset; what the endpoint was
    about to say is then written, and never heard.
    """

    def __init__(self, to_port: int) -> None:
        self._to_port = to_port
        self._writers: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="cable", daemon=True)
        self._thread.start()
        self._server = self._do(self._listen(0))
        self.port: int = self._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def cut(self) -> None:
        """Reset every connection, and refuse those that come."""
        self._do(self._away())

    def mend(self) -> None:
        """Listen again at the same port."""
        self._server = self._do(self._listen(self.port))

    def close(self) -> None:
        """End it for good."""
        self.cut()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _do(self, what: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(what, self._loop).result(30)

    async def _listen(self, port: int) -> asyncio.Server:
        return await asyncio.start_server(self._pass_on, "127.0.0.1", port)

    async def _away(self) -> None:
        self._server.close()
        for writer in tuple(self._writers):
            writer.transport.abort()
        await asyncio.sleep(0)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._to_port)
        except OSError:
            writer.transport.abort()
            self._writers.discard(writer)
            return
        self._writers.add(far_writer)
        ways = (_pump(reader, far_writer), _pump(far_reader, writer))
        await asyncio.gather(*ways)
        self._writers -= {writer, far_writer}


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:  # cut, or one side has gone
        pass
    finally:
        writer.close()
