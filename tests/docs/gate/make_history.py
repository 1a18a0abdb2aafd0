# SPDX-License-Identifier: Apache-2.0
"""Writes perf/0001.json, ...: results of twenty commits, for docs/gate.md.

They are a report of this repository with all times scaled: 1 % of noise, and 5 % more from the twelfth commit on.
"""
import json
import pathlib
import random
import sys

RESULTS, SLOWER_FROM, SLOWER = 20, 12, 1.05


def scale(rows, factor, total):
    for row in rows:
        row["ns_total"] = round(row["ns_total"] * factor)
    max(rows, key=lambda row: row["ns_total"])["ns_total"] += total - sum(row["ns_total"] for row in rows)


def main():
    text = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
    folder = pathlib.Path("perf")
    folder.mkdir()
    noise = random.Random(1)
    for number in range(1, RESULTS + 1):
        report = json.loads(text)
        factor = noise.gauss(1, 0.01) * (SLOWER if number >= SLOWER_FROM else 1)
        partition = report["partition"]
        for name in ("wall_ns_total", "p50_ns", "p90_ns"):
            partition[name] = round(partition[name] * factor)
        scale(partition["parts"], factor, partition["wall_ns_total"])
        scale(report["cells"], factor, partition["wall_ns_total"])
        for step in report["steps"]["list"]:
            step["begin_ns"] += number * 3_600_000_000_000
        (folder / f"{number:04}.json").write_text(json.dumps(report), encoding="utf-8")


main()
