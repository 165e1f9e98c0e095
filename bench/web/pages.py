"""`eventspace web` as a process, and pages without a browser: connections that accept its stream of events at once."""

import contextlib
import http.client
import pathlib
import re
import selectors
import socket
import subprocess
import threading
import time

import watching
from pairs import Failed

ASSETS = pathlib.Path(__file__).resolve().parents[2] / "monitors" / "web" / "assets"
LIMIT = 60  # seconds, for each wait
PAGES_OF_A_COOKIE = 16  # more streams are refused
PIECE = 1 << 16  # bytes


def parts_of(view):
    """Returns the names of the parts that a page asks for when it shows this view."""
    def listed(file, name):
        text = (ASSETS / file).read_text()
        return re.findall(r'"([\w/]+)"', re.search(rf"\b(?:const|function) {name}\b.*?\[(.*?)\]", text, re.DOTALL)[1])

    return listed("app.js", "parts_of_all_views") + listed(f"views/{view}.js", "wants")


class Web:
    """A running `eventspace web`, which serves one session or recording. Leave with close()."""

    def __init__(self, programs, *words):
        self.process = subprocess.Popen(
            programs.command("eventspace", "web", *words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True, text=True)
        try:
            found = re.match(r"owner +http://([\d.]+):(\d+)(/\S+)", self.process.stdout.readline())
            if found is None:
                raise Failed(f"web ended: {self.process.communicate()[1].strip()}")
            self.host, self.port, self.opening = found[1], int(found[2]), found[3]
        except BaseException:
            self.close()
            raise
        self.origin = f"http://{self.host}:{self.port}"

    def close(self):
        watching.stop(self.process)
        self.process.stdout.close()
        self.process.stderr.close()

    def cookie(self):
        """Returns a new cookie, as the field of a request has it."""
        with contextlib.closing(http.client.HTTPConnection(self.host, self.port, timeout=LIMIT)) as asked:
            asked.request("GET", self.opening)
            answer = asked.getresponse()
            if answer.status != 200:
                raise Failed(f"the page cannot be opened: status {answer.status}")
            return answer.getheader("Set-Cookie").partition(";")[0]

    def processor_seconds(self):
        return watching.cpu_seconds(self.process.pid)


class Page:
    """One page: its stream, and what it got. A look of the server begins with the part `clock`."""

    def __init__(self, web, cookie, parts):
        self.bytes = 0
        self.looks = []  # (time, bytes before)
        self.rest = b""
        self.socket = socket.create_connection((web.host, web.port), timeout=LIMIT)
        try:
            self.socket.sendall(f"GET /api/s/0/stream?parts={','.join(parts)} HTTP/1.1\r\nHost: {web.host}:{web.port}\r\n"
                                f"Cookie: {cookie}\r\n\r\n".encode())
            header = b""
            while b"\r\n\r\n" not in header:
                header += self.received()
            header, _, body = header.partition(b"\r\n\r\n")
            if b" 200 " not in header.splitlines()[0]:
                raise Failed(f"the stream of a page is refused: {header.splitlines()[0].decode()}")
        except BaseException:
            self.socket.close()
            raise
        self.take(body)

    def received(self):
        got = self.socket.recv(PIECE)
        if not got:
            raise Failed("the server has ended the stream of a page")
        return got

    def take(self, got):
        self.rest += got
        *events, self.rest = self.rest.split(b"\n\n")
        for event in events:
            if b'{"name":"clock"' in event[:64]:
                self.looks.append((time.monotonic(), self.bytes))
            self.bytes += len(event) + 2

    def per_second(self, first):
        """Returns bytes a second, from look number `first` to the last one."""
        (begin, before), (end, after) = self.looks[first], self.looks[-1]
        return (after - before) / (end - begin)


class Pages:
    """So many pages that show one view; a thread accepts what they get. Leave with close()."""

    def __init__(self, web, count, view):
        self.pages, self.failure, self.is_over = [], None, False
        self.reader = threading.Thread(target=self.read, daemon=True)
        try:
            for i in range(count):
                if i % PAGES_OF_A_COOKIE == 0:
                    cookie = web.cookie()
                self.pages.append(Page(web, cookie, parts_of(view)))
        except BaseException:
            self.end_connections()
            raise
        self.reader.start()

    def read(self):
        with selectors.DefaultSelector() as selector:
            for page in self.pages:
                selector.register(page.socket, selectors.EVENT_READ, page)
            while not self.is_over:
                for key, _ in selector.select(0.05):
                    try:
                        key.data.take(key.data.received())
                    except (Failed, OSError) as failed:
                        self.failure = str(failed)
                        return

    def wait_for_looks(self, count):
        """Waits until each page has got so many looks more; raises Failed."""
        wanted = [len(page.looks) + count for page in self.pages]
        limit = time.monotonic() + LIMIT + count
        while any(len(page.looks) < looks for page, looks in zip(self.pages, wanted)):
            if self.failure is not None:
                raise Failed(self.failure)
            if time.monotonic() > limit:
                raise Failed(f"a page did not get {count} states of the session")
            time.sleep(0.02)

    def end_connections(self):
        for page in self.pages:
            page.socket.close()

    def close(self):
        self.is_over = True
        self.reader.join()
        self.end_connections()
