#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is found where: a Markdown table over all traces of a folder.

usage: findings_table.py STEPSCOPE FOLDER [NAME=PLAIN_STEP...]     sync_mask_norms.bad=7.15ms
A row a finding: its line, what it causes a step, the most that its fix could give, the forecast, how sure it is.
"""
import json
import pathlib
import subprocess
import sys


def report(stepscope, trace, plain):
    command = [stepscope, "report", "--format", "json", str(trace)]
    if plain:
        command += ["--plain-step", plain]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def place(finding):
    if "file" not in finding:
        return f"phase {finding['phase']}" if finding["phase"] else ""
    first = finding["places"][0]
    line = f"{pathlib.Path(first['file']).name}:{first['line']}"
    return f"`{line}`" + (f" ({first['function']})" if first.get("function") else "")


def rows(name, document):
    p = document["partition"]
    step = p.get("corrected_step_ns", p["wall_ns_per_step"])
    for finding in document["findings"]:
        forecast = finding["forecast"]
        gain = "" if forecast is None else f"{100 * (1 - forecast['ns_per_step'] / step):.1f} %"
        yield (f"| {name} | `{finding['id']}` | {finding['severity']} | {place(finding)} | "
               f"{finding['caused_ns_per_step'] / 1e6:.2f} | {100 * finding['share']:.1f} % | {gain} | "
               f"{finding['certainty']} |")
        name = ""
    if not document["findings"]:
        yield f"| {name} | nothing | | | | | | |"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    plain = dict(pair.split("=") for pair in sys.argv[3:])
    print("| trace | finding | severity | line | causes, ms/step | at most | forecast | certainty |")
    print("|---|---|---|---|---|---|---|---|")
    for trace in sorted(pathlib.Path(sys.argv[2]).glob("*.json*")):
        name = trace.name.split(".json")[0]
        for row in rows(name, report(sys.argv[1], trace, plain.get(name))):
            print(row)


if __name__ == "__main__":
    main()
