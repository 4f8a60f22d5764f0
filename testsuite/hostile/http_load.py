#!/usr/bin/env python3
"""Many connections to a gateway at once, from one process.

    http_load.py ADDRESS KIND COUNT [SECONDS]

ADDRESS is host:port. Headers that have to be secret or long come on standard input, a line each.

idle        connections that send nothing
headers     a header begins, and goes on with a byte a second
body        a body of 90,000 bytes begins, and goes on with a byte a second
streams     GET of the path $HTTP_PATH, whose answer is a stream
requests    GET of $HTTP_PATH again and again, COUNT at a time over as many connections
posts       the same with POST and the body $HTTP_BODY

Prints "open N" when all connections have been made or refused; then one line of JSON: connections opened, open at the
end, closed by the gateway, answers by status, requests a second. It ends after SECONDS, or when all connections have
been closed; without SECONDS at the end of standard input.
"""
import collections
import errno
import json
import os
import selectors
import socket
import sys
import time

BLOCK = 65536


class Client:
    """One connection."""

    def __init__(self, load):
        self.load = load
        self.text = b""
        self.status = None
        self.gone = False
        self.sock = socket.socket()
        self.sock.setblocking(False)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            self.sock.connect(load.address)
        except BlockingIOError:
            pass
        load.selector.register(self.sock, selectors.EVENT_WRITE, self)
        self.connected = False

    def ready(self, mask):
        if not self.connected:
            self.connected = True
            error = self.sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if error:
                return self.end(errno.errorcode[error])
            self.load.opened += 1
            self.load.selector.modify(self.sock, selectors.EVENT_READ, self)
            self.send(self.load.first)
            return None
        try:
            data = self.sock.recv(BLOCK)
        except BlockingIOError:
            return None
        except OSError as e:
            return self.end(errno.errorcode[e.errno])
        if not data:
            return self.end("closed")
        self.load.received += len(data)
        return self.take(data)

    def take(self, data):
        """Counts the status of the first answer, or of each, of requests."""
        if not self.load.repeats:
            if self.status is None:
                self.text += data
                if len(self.text) >= 12:
                    self.status = self.text[9:12].decode("latin1")
                    self.load.statuses[self.status] += 1
            return
        self.text += data
        head = self.text.find(b"\r\n\r\n")
        if head < 0:
            return
        at = self.text.lower().find(b"content-length:")
        length = int(self.text[at + 15:self.text.index(b"\r\n", at)])
        if len(self.text) < head + 4 + length:
            return
        self.load.statuses[self.text[9:12].decode("latin1")] += 1
        self.load.answers += 1
        self.text = b""
        self.send(self.load.first)

    def send(self, data):
        if not data or self.gone:
            return
        try:
            self.sock.send(data)
        except BlockingIOError:
            pass
        except OSError as e:
            self.end(errno.errorcode[e.errno])

    def end(self, why):
        if self.gone:
            return
        self.gone = True
        self.load.ends[why] += 1
        self.load.selector.unregister(self.sock)
        self.sock.close()


class Load:
    """All connections."""

    def __init__(self, address, kind, headers):
        host, port = address.rsplit(":", 1)
        self.address = (host, int(port))
        self.selector = selectors.DefaultSelector()
        self.opened = self.received = self.answers = 0
        self.statuses = collections.Counter()
        self.ends = collections.Counter()
        self.repeats = kind in ("requests", "posts")
        self.first, self.drip = texts(kind, headers)

    def pump(self, wait):
        for key, mask in self.selector.select(wait):
            key.data.ready(mask)

    def report(self, clients, seconds):
        return {
            "opened": self.opened,
            "open": sum(not c.gone for c in clients),
            "ends": self.ends,
            "statuses": self.statuses,
            "received": self.received,
            "per_second": round(self.answers / seconds, 1) if seconds else 0,
        }


def texts(kind, headers):
    """What a connection sends first, and then each second."""
    head = ("Host: x\r\n" + "".join(h + "\r\n" for h in headers)).encode()
    path = os.environ.get("HTTP_PATH", "/livez").encode()
    body = os.environ.get("HTTP_BODY", "").encode()
    if kind == "idle":
        return b"", b""
    if kind == "headers":
        return b"GET /livez HTTP/1.1\r\nHost: x\r\nX: ", b"x"
    if kind == "body":
        return b"POST /v1/jobs HTTP/1.1\r\n" + head + b"Content-Length: 90000\r\n\r\n{", b" "
    if kind in ("streams", "requests"):
        return b"GET " + path + b" HTTP/1.1\r\n" + head + b"\r\n", b""
    if kind == "posts":
        return (b"POST " + path + b" HTTP/1.1\r\n" + head + b"Content-Length: %d\r\n\r\n" % len(body) + body), b""
    sys.exit("http_load: unknown kind " + kind)


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    kind, count = sys.argv[2], int(sys.argv[3])
    headers = []
    for line in sys.stdin:
        if not line.strip():
            break
        headers.append(line.strip())
    load = Load(sys.argv[1], kind, headers)
    clients = []
    while len(clients) < count:
        clients += [Client(load) for _ in range(min(50, count - len(clients)))]
        load.pump(0)
    while not all(c.connected and (kind != "streams" or c.status or c.gone) for c in clients):
        load.pump(1)
    print("open", load.opened, flush=True)
    begin = dripped = time.monotonic()
    if len(sys.argv) == 4:
        load.selector.register(sys.stdin, selectors.EVENT_READ)
    load.answers = 0
    end = begin + float(sys.argv[4]) if len(sys.argv) == 5 else None
    while end is None or (time.monotonic() < end and not all(c.gone for c in clients)):
        for key, mask in load.selector.select(0.2):
            if key.data is None:
                print(json.dumps(load.report(clients, time.monotonic() - begin)), flush=True)
                return
            key.data.ready(mask)
        if load.drip and time.monotonic() - dripped > 1:
            dripped = time.monotonic()
            for c in clients:
                c.send(load.drip)
    print(json.dumps(load.report(clients, time.monotonic() - begin)), flush=True)


main()
