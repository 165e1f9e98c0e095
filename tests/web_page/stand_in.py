"""A server that stands in for `eventspace web`, for sessions that no test machine has: thousands of threads, hostile names.

It serves the true files of the page with the security policy of the true server.
"""

import http.server
import json
import os
import sys
import threading
import urllib.parse

POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; "
          "form-action 'none'; frame-ancestors 'none'")
TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
LETTERS = [{"letter": letter, "words": words, "stalled": letter in "SC"} for letter, words in
           [("R", "running"), ("W", "waiting in call"), ("S", "stuck in operation"), ("C", "computing"), ("U", "unreachable")]]


class Session:
    """What a document says of `count` threads, of which one, `stuck`, holds up all others."""

    def __init__(self, count, stuck, name_of=lambda i: f"rank{i}", nodes=4, node_of=lambda i: f"node{i}",
                 what="stuck in operation"):
        self.count, self.stuck, self.nodes, self.what = count, stuck, nodes, what
        self.names = [name_of(i) for i in range(count)]
        self.node_names = [node_of(i) for i in range(nodes)]
        self.steps = 0

    def fixed_parts(self, wants):
        yield "about", {"name": self.names[0], "kind": "session", "session": "s", "recording": None, "threads": self.count,
                        "processes": self.count, "nodes": self.nodes, "letters": LETTERS}
        yield "names", {"threads": self.names, "processes": self.names, "nodes": self.node_names,
                        "paths": [f"put of {name}" for name in self.names[:8]],
                        "process_of_thread": list(range(self.count)),
                        "node_of_process": [i * self.nodes // self.count for i in range(self.count)],
                        "rank_of_process": list(range(self.count))}
        if wants("map"):
            yield self.map()

    def changing_parts(self, wants):
        self.steps += 1
        for_s = 10 + self.steps * 0.1
        culprit = self.names[self.stuck]
        yield "clock", {"at": for_s, "wall": "2026-01-01T00:00:00Z"}
        for first in range(0, self.count, 64):
            end = min(first + 64, self.count)
            yield f"threads/{first // 64}", {
                "first": first, "state": "".join("S" if i == self.stuck else "W" for i in range(first, end)),
                "for_s": [for_s] * (end - first), "call": [0] * (end - first), "in_flight": "1" * (end - first),
                "texts": [f"receive from {culprit}"], "rate": [self.steps * 7 % 1000] * (end - first),
                "cpu": [0.5] * (end - first), "waiting": [self.count - 1 if i == self.stuck else 0 for i in range(first, end)]}
        yield "verdict", {"severity": "stall", "sentence": f"STALL at {culprit}: stuck", "stalled": 1,
                          "tally": {"stuck in operation": 1, "waiting in call": self.count - 1}, "text": [f"STALL at {culprit}"],
                          "culprits": [{"thread": culprit, "what": self.what, "waiting": self.count - 1, "since_s": for_s,
                                        "call": f"receive from {culprit}", "waits_for": culprit, "stack": [f"main of {culprit}"]}]}
        yield "waits", {"nodes": [{"id": 0, "label": f"{culprit}: stuck", "culprit": True, "threads": [culprit]},
                                  {"id": 1, "label": f"receive from {culprit}", "culprit": False, "threads": self.names[:3]}],
                        "edges": [{"from": 1, "to": 0, "label": culprit, "since_s": for_s}]}
        yield "rates", {"events_per_second": 900 + self.steps * 37 % 200, "kept_for_s": 0.2, "kept_by": f"{culprit} put"}
        yield "cost", {"pulls_per_second": 1.0, "pull_s": 0.002, "cpu_share": 0.004, "bytes_per_second": 5000 + self.steps}
        yield "losses", {"discarded": self.steps, "torn": 0, "filtered": 0, "repeated": 0, "failed": 0, "emptied": 0, "servers": 1,
                         "missing": [{"what": culprit, "node": "n", "cause": "silent", "detail": culprit}], "servers_silent": 0,
                         "pulls": self.steps, "partial": 0}
        yield "log", [{"at_s": 1.5, "kind": "stall", "text": f"STALL at {culprit}", "threads": [culprit]}]
        yield "servers", {"servers": [{"node": name, "answer": "answered", "round_trip_s": 0.001, "requests_per_second": 1.0}
                                      for name in self.node_names]}
        if wants("steering"):
            yield from self.steering_parts()
        if any(wants(part) for part in ("profile", "metrics", "call_sites", "communication")):
            yield from self.event_parts(for_s * 1.0137)  # without round numbers, whose texts are shorter
        yield self.map_rates(for_s)
        yield "collectives", {"rows": [{"operation": f"sum {culprit}", "number": 4, "per_second": 2.0, "count": 4, "incomplete": 0,
                                        "last": [culprit], "late_s": 0.1, "waited_s": 1.0, "costliest": culprit, "cost_s": 0.9,
                                        "absent": [culprit]}]}

    def steering_parts(self):
        """A trial under way, whose numbers change, and one that has ended."""
        trial = {"number": 9, "scope": self.names[0], "variant": 0, "tree": f"all > {self.names[0]}", "asked_rate": 10, "rate": 9.5 + self.steps % 7 * 0.1, "pulling_s": self.steps * 0.25,
                 "pulls": self.steps, "partial": 0, "pull_s": 0.001 + self.steps % 9 * 0.0001, "missing": "",
                 "levels": [{"level": "all", "parts": 1, "slowest": "all", "time_s": 0.0011}, {"level": "node", "parts": 4, "slowest": self.node_names[0], "time_s": 0.0005}],
                 "page_cpu_share": 0.012, "servers_cpu_share": 0.034 + self.steps % 5 * 0.001, "servers": 4, "servers_here": 2,
                 "slowdown": {"reason": "", "ratio": 1.012, "low": 1.001, "high": 1.025, "pairs": 12}, "ended": ""}
        yield "steering", {"reason": "", "version": 1, "by": "", "last_order": "", "under_way": False, "outcome": None, "interval_s": 1.0,
                           "collecting": [{"state": "on", "count": self.count, "processes": self.names[0], "names": self.names[:3]}], "trial": trial}
        yield "steering/paths", [{"name": self.names[0], "events": "operation write", "setting": "on", "processes": self.names[0], "also": [self.names[-1]]}]
        yield "steering/choices", {"kinds": [{"kind": "operation", "classes": ["write", "read"]}], "scopes": [self.names[0]], "max_interval_s": 9e9, "min_rate": 0.1,
                                   "max_rate": 1e6, "progress": "progress"}
        yield "steering/trials", [{**trial, "number": 8, "asked_rate": None, "rate": 950.0, "slowdown": {**trial["slowdown"], "ratio": 1.4, "low": 1.3, "high": 1.5}, "ended": "stopped"}]

    def event_parts(self, span):
        """The stuck thread waits least: it computes half as long again as the others."""
        reading = {"since_s": 1.5, "is_whole": True, "lost": 0, "partial": 0, "left_out": 0}
        yield "profile", {"threads": self.count, "reading": reading}
        for first in range(0, self.count, 64):
            block = range(first, min(first + 64, self.count))
            compute = [span * (0.6 if i == self.stuck else 0.4) for i in block]
            yield f"profile/{first // 64}", {
                "first": first, "names": self.names[first:first + 64], "nodes": [self.node_names[0] for _ in block],
                "calls": [self.steps for _ in block], "span_s": [span for _ in block], "compute_s": compute,
                "transfer_s": [span * 0.1134 for _ in block], "waiting_s": [span * 0.9 - one for one in compute], "late_s": [0.1 for _ in block]}
        yield "metrics", {"metrics": [{"name": "Load", "unit": ""}, {"name": "Volume", "unit": "B"}], "alerts": [f"Load > 0.9 at {self.names[0]}"]}
        shown = min(self.count, 64)
        yield "metric/Load", {"metric": "Load", "unit": "", "time_s": span, "began_ns": 0, "lost": 0, "unmatched": 0, "problem": [""] * shown,
                              "objects": [[name] for name in self.names[:shown]], "virtual_time": [None] * shown,
                              "value": [i / 64 for i in range(shown)]}
        yield "metric/Volume", {"metric": "Volume", "unit": "B", "time_s": span, "began_ns": 0, "lost": 2, "unmatched": 0, "problem": ["", ""],
                                "objects": [self.names[:2], self.names[1::-1]], "virtual_time": [None] * 2, "value": [2000, 3000]}
        calls = {"call": ["receive", "send"], "site": [f"{self.names[0]}.c:1", ""], "calls": [self.steps, 2], "time_s": [span, 0.5],
                 "longest_s": [0.1, 0.1], "bytes": [8, 16], "others": 0, "others_s": 0}
        yield "call_sites", calls
        yield f"calls_of/{self.stuck}", dict(calls, call=["call of the stuck thread", "send"], thread=self.names[self.stuck])
        rows = min(self.count, 128)
        names = self.names if rows == self.count else [f"row {i}" for i in range(rows)]
        sizes = {"what": ["message"], "least": [8], "most": [15], "count": [self.steps], "bytes": [8 * self.steps]}
        yield "communication", {"participants": self.count, "share": self.count // rows, "rows": names, "others": 0, "sizes": sizes,
                                "over": {"name": ["world", self.names[0]], "messages": [9, 1], "bytes": [900, 100]}, "spawned_calls": 0,
                                "reading": reading}
        receivers = [(i + 1) % rows for i in range(rows)]
        yield "flows/0", {"row": list(range(rows)), "column": receivers, "messages": [i + 1 for i in range(rows)],
                          "bytes": [100 * (i + 1) for i in range(rows)], "late_s": [0.5] + [0] * (rows - 1)}
        yield "flows/1", {"row": [1], "column": [2], "messages": [3], "bytes": [77], "late_s": [0], "over": "world"}

    def map(self):
        """A map of threads that write to one element; of many threads, a box for each node."""
        names, element = self.names, f"queue of {self.names[0]}"
        if self.count <= 64:
            boxes = [{"kind": "thread", "name": name, "title": "", "lines": [name], "threads": [i], "elements": [],
                      "area": [10 + 130 * (i % 4), 30 + 60 * (i // 4), 110, 40]} for i, name in enumerate(names)]
            boxes.append({"kind": "element", "name": element, "title": "", "lines": [element], "threads": [], "elements": [0],
                          "area": [600, 100, 120, 44]})
            arrows = [{"from": i, "to": self.count, "both": False, "label": f"put of {name}", "paths": [i], "label_at": [560, 50],
                       "curve": [120, 50, 300, 50, 500, 120, 600, 120]} for i, name in enumerate(names[:8])]
        else:
            share = self.count // self.nodes
            boxes = [{"kind": "node", "name": name, "title": f"node {name}", "lines": [f"{share} processes"], "elements": [],
                      "threads": list(range(i * share, (i + 1) * share)), "area": [130 * (i % 16), 70 * (i // 16), 120, 60]}
                     for i, name in enumerate(self.node_names)]
            arrows = []
        return "map", {
            "detail": "threads" if self.count <= 64 else "nodes", "laid_out_by": "graphviz", "note": "", "key": [f"a: {names[0]}"],
            "width": max(box["area"][0] + box["area"][2] for box in boxes) + 20, "height": max(box["area"][1] + box["area"][3] for box in boxes) + 20,
            "frames": [{"kind": "node", "name": self.node_names[0], "title": f"node {self.node_names[0]}", "area": [0, 0, 560, 300]}],
            "boxes": boxes, "arrows": arrows,
            "elements": [{"name": element, "host": f"process {names[0]}", "kind": "memory", "capacity": 50, "when_full": "wait", "type": "(int)"}],
            "paths": {"thread": [i for i in range(min(self.count, 8))], "user": names[:8], "element": [0] * min(self.count, 8),
                      "use": ["write"] * (min(self.count, 8) - 1) + ["read"]},
            "scopes": [{"name": "heartbeat", "watched": True, "reads": "the newest event of each trace element", "sources": self.count, "left_out": 0,
                        "levels": [{"name": f"level of {names[0]}", "depth": 0, "wrapper": "gather", "parameters": "", "node": "", "sources": 0,
                                    "timeout_s": 2, "collected": False}]}]}

    def map_rates(self, for_s):
        names, count = self.names, min(self.count, 8)
        return "map_rates", {
            "scope": "heartbeat",
            "paths": {"path": list(range(count)), "events": [self.steps * 10] * count, "per_second": [self.steps * 37 % 900] * count,
                      "bytes_per_second": [self.steps * 370 % 9000] * count, "waits_s": [for_s if i else None for i in range(count)]},
            "elements": {"element": [0], "kept": [self.steps % 50], "capacity": [50], "written_per_second": [99.5], "taken_per_second": [None], "unknown": [""]},
            "levels": {"name": [f"level of {names[0]}"], "last_s": [0.001 * (1 + self.steps % 3)], "mean_s": [0.0012], "longest_s": [0.004]}}

    def timeline(self, parameters):
        """The rows of a timeline, or a tile: one operation of each row, which has not ended, in a recording of a second."""
        length = 10**9
        if "from" not in parameters:
            rows = [{"thread": name, "process": name, "node": self.node_names[0], "rank": None, "lane": 0, "events": 1} for name in self.names]
            return {"state": "ready", "generation": 1, "live": False, "began_ns": 0, "realtime_ns": 0, "failure": "", "origin_ns": 0,
                    "length_ns": length, "events": self.count, "kept": self.count, "lost": 0, "rows": rows, "names": [self.names[0]],
                    "classes": [{"letter": letter, "words": self.names[0]} for letter in "SRWCFPO"]}
        begin = int(parameters["from"][0])
        first, last = (int(row) for row in parameters["rows"][0].split("-"))
        count = last - first + 1
        return {"from": begin, "width": 1, "bins": 256, "exact": 1, "rows": list(range(first, last + 1)), "counts": [1] * count,
                "begin": [-begin] * count, "length": [length] * count, "name": [0] * count, "look": [9] * count, "path": [0] * count,
                "point": [0] * count, "sequence": list(range(first + 1, last + 2)), "gaps": [], "messages": [], "messages_left_out": 0, "joins_left_out": 0,
                "joins": []}

    def operation(self, parameters):
        """An operation of the timeline with its fields, which have names of threads."""
        number = int(parameters["sequence"][0])
        return {"state": "found", "operation": {"row": number - 1, "begin": 0, "end": 10**9, "in_flight": False, "name": self.names[0],
                                                "class": 2, "path": 0, "point": 0, "sequence": number},
                "fields": [{"name": self.names[0], "value": self.names[number - 1], "help": ""}]}


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):  # which a page that is left causes
            super().handle_error(request, client_address)


class StandIn:
    """Serves a Session at `origin`, under several names; each stream gets its changing parts every `interval` seconds."""

    def __init__(self, session, assets, d3, interval=0.1, other_names=()):
        stand_in = self
        self.streams = []  # the paths that pages have asked for
        self.is_over = threading.Event()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *words):
                pass

            def answer(self, kind, body):
                self.send_response(200)
                for name, value in (("Content-Type", kind), ("Content-Length", str(len(body))), ("Content-Security-Policy", POLICY)):
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                path = self.path.split("?")[0]
                if path == "/api/me":
                    return self.answer("application/json", b'{"role":"owner","token":"t","version":"0"}')
                if path == "/api/sessions":
                    names = [session.names[0], *other_names]
                    sessions = [{"id": str(i), "name": name, "kind": "session", "state": ""} for i, name in enumerate(names)]
                    return self.answer("application/json", json.dumps(sessions).encode())
                if path.endswith("/stream"):
                    return self.stream()
                if path.endswith("/q/variants"):
                    variants = {"scope": session.names[0], "variants": [f"all > {session.names[0]}", "all"], "left_out": 3, "reason": ""}
                    return self.answer("application/json", json.dumps(variants).encode())
                if "/q/" in path:
                    parameters = urllib.parse.parse_qs(self.path.partition("?")[2])
                    answer = session.timeline(parameters) if path.endswith("timeline") else session.operation(parameters)
                    return self.answer("application/json", json.dumps(answer).encode())
                if path == "/assets/d3.min.js":
                    return self.answer("text/javascript", read(d3))
                file = os.path.join(assets, "index.html" if path == "/" else path.removeprefix("/assets/"))
                if not os.path.exists(file):
                    return self.send_error(404)
                return self.answer(TYPES[os.path.splitext(file)[1]], read(file))

            def stream(self):
                """Like the true server, sends only the parts that the page has named, and those below them."""
                stand_in.streams.append(self.path)
                wanted = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query)["parts"][0].split(",")

                def wants(part):
                    return part in wanted or part.split("/")[0] in wanted

                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                self.close_connection = True
                try:
                    self.send_parts(session.fixed_parts(wants), wants)
                    while not stand_in.is_over.is_set():
                        self.send_parts(session.changing_parts(wants), wants)
                        stand_in.is_over.wait(interval)
                except OSError:
                    pass  # the page has gone

            def send_parts(self, parts, wants):
                for name, value in parts:
                    if not wants(name):
                        continue
                    # Not as ASCII: names come as they are.
                    text = json.dumps({"name": name, "version": 1, "value": value}, ensure_ascii=False)
                    self.wfile.write(f"event: part\ndata: {text}\n\n".encode())
                self.wfile.flush()

        self.server = Server(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.is_over.set()
        self.server.shutdown()
        self.server.server_close()


def read(file):
    with open(file, "rb") as opened:
        return opened.read()
