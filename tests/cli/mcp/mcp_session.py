#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A client of `stepscope mcp` that does what a coding agent does, over the program's pipes: it finds the costliest line,
asks what fixing it would give, looks at the evidence, and checks the change by diff and gate. Each tool's schema and each
argument is validated by jsonschema, each message is JSON on a line of its own and under 4 KB.

usage: mcp_session.py STEPSCOPE BEFORE AFTER
"""
import json
import subprocess
import sys

import jsonschema

MOST_BYTES = 4096


class Client:
    def __init__(self, command):
        self.server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.asked = 0
        self.schemas = {}
        self.progress = 0

    def send(self, message):
        self.server.stdin.write((json.dumps({"jsonrpc": "2.0", **message}) + "\n").encode())
        self.server.stdin.flush()

    def ask(self, method, **params):
        self.asked += 1
        self.send({"id": self.asked, "method": method, "params": params})
        while True:
            line = self.server.stdout.readline()
            message = json.loads(line)
            if message.get("method") == "notifications/progress":
                self.progress += 1
                continue
            assert message["jsonrpc"] == "2.0" and message["id"] == self.asked, message
            assert method != "tools/call" or len(line) <= MOST_BYTES, (len(line), params)
            return message

    def start(self):
        answer = self.ask("initialize", protocolVersion="2025-06-18", capabilities={},
                          clientInfo={"name": "mcp_session", "version": "1"})["result"]
        assert answer["protocolVersion"] == "2025-06-18", answer
        self.send({"method": "notifications/initialized"})
        for tool in self.ask("tools/list")["result"]["tools"]:
            jsonschema.Draft202012Validator.check_schema(tool["inputSchema"])
            self.schemas[tool["name"]] = jsonschema.Draft202012Validator(tool["inputSchema"])

    def call(self, tool, **arguments):
        self.schemas[tool].validate(arguments)
        result = self.ask("tools/call", name=tool, arguments=arguments, _meta={"progressToken": tool})["result"]
        text = result["content"][0]["text"]
        assert not result["isError"], text
        return json.loads(text)

    def end(self):
        self.server.stdin.close()
        rest = self.server.stdout.read()
        assert rest == b"", rest
        assert self.server.stderr.read() == b""
        return self.server.wait(timeout=60)


def rows_of(answer):
    """The rows of a table as dictionaries."""
    return [dict(zip(answer["columns"], row)) for row in answer["rows"]]


def main():
    stepscope, before, after = sys.argv[1:]
    client = Client([stepscope, "mcp", before])
    client.start()

    # Which line costs most, and what would its fix give?
    report = client.call("report")
    assert sum(part[1] for part in report["parts"]) == report["wall_ns_total"]
    lines = rows_of(client.call("table", name="lines"))
    assert lines[0]["ns_total"] == max(line["ns_total"] for line in lines)
    finding = client.call("findings", id="host_sync")["rows"][0]
    assert finding["file"] == "sync_mask_norms.py" and finding["line"] == 96, finding
    fix = finding["whatif_fix"]
    forecast = client.call("whatif", fixes=[fix])["fixes"][0]
    assert forecast["low"] < forecast["ns_per_step"] < report["wall_ns_per_step"], forecast
    assert "# host_sync" in client.call("explain", id="host_sync")["text"]

    # The evidence: each event that the finding names is a read of the device at that line.
    for event in finding["evidence"]:
        shown = client.call("event", id=event)
        assert shown["line"] == 96 and shown["name"] in ("cudaMemcpyAsync", "cudaStreamSynchronize"), shown
    waits = client.call("events", file=finding["file"], line=finding["line"], cause="host.sync_return")
    assert waits["total"] > 0 and waits["sum_owns_ns"] > 0

    # A longest step, and what makes it long.
    step = rows_of(client.call("steps", order="longest", limit=1))[0]
    parts = client.call("steps", step=step["id"])["rows"][0]["parts"]
    assert sum(parts.values()) == step["wall_ns"]

    # Did the change help, and at that line?
    diff = client.call("diff", a=before, b=after, by="lines")
    assert diff["comparable"] and diff["delta_ns_total"] < 0 and diff["residual_ns"] == 0
    assert any(row.get("a_line") == 96 and row["delta_ns_total"] < 0 for row in rows_of(diff)), diff
    gate = client.call("gate", baseline=[before], candidate=[after], policy={"metrics": ["host_syncs", "kernels"]})
    assert gate["verdict"] == "pass", gate
    loaded = client.call("traces")
    assert len(loaded["loaded"]) == 2 and loaded["loaded_bytes"] <= loaded["most_bytes"]

    # A mistake is told, and the session goes on.
    wrong = client.ask("tools/call", name="event", arguments={"id": "h99999999"})["result"]
    assert wrong["isError"] and "there is no such event" in wrong["content"][0]["text"]
    client.send({"method": "notifications/cancelled", "params": {"requestId": 1}})
    assert client.ask("ping")["result"] == {}
    assert client.end() == 0


if __name__ == "__main__":
    main()
