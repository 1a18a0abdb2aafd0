#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks `stepscope mcp` one question, as a coding agent does, and prints the answer. For trying a tool by hand.

usage: python ask.py TOOL [FIELD=VALUE ...]        python ask.py whatif trace=run.scope fixes='["remove_sync@train.py:88"]'
"""
import json
import subprocess
import sys


def message(method, number=None, **params):
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **({} if number is None else {"id": number})})


def value_of(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


def main():
    if len(sys.argv) < 2:
        print("usage: python ask.py TOOL [FIELD=VALUE ...]", file=sys.stderr)
        sys.exit(2)
    tool, *fields = sys.argv[1:]
    arguments = {name: value_of(text) for name, _, text in (field.partition("=") for field in fields)}
    lines = [message("initialize", 1, protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "ask", "version": "1"}),
             message("notifications/initialized"),
             message("tools/call", 2, name=tool, arguments=arguments)]
    answers = subprocess.run(["stepscope", "mcp"], input="\n".join(lines), capture_output=True, text=True, check=True)
    answer = json.loads(answers.stdout.splitlines()[-1])
    if "error" in answer:
        sys.exit(answer["error"]["message"])
    text = answer["result"]["content"][0]["text"]
    print(text if answer["result"]["isError"] else json.dumps(json.loads(text), indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
