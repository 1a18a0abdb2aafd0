#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare_ops.py HOST_RANGES.csv COUNTS.json: whether stepscope saw the operations that torch.profiler counted.

Both are of one run of tests/python/count_ops.py: `stepscope export --to csv --table host_ranges`, and what the program
wrote. Prints both totals and the scopes, and each operation whose counts differ; exits with 1 where one does.
"""
import collections
import csv
import json
import sys


def recorded(path):
    with open(path, newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["kind"] in ("op", "backward_node", "user_scope")]
    (counted,) = [row for row in rows if row["name"] == "counted"]
    begin, end = int(counted["begin_ns"]), int(counted["end_ns"])
    return collections.Counter(row["name"] for row in rows if begin <= int(row["begin_ns"]) and int(row["end_ns"]) <= end)


def main():
    ours = recorded(sys.argv[1])
    with open(sys.argv[2]) as file:
        theirs = collections.Counter(json.load(file))
    differing = sorted(name for name in ours.keys() | theirs.keys() if ours[name] != theirs[name])
    print(f"torch.profiler {sum(theirs.values())} stepscope {sum(ours.values())} names {len(theirs)}")
    for name in differing:
        print(f"  {name}: torch.profiler {theirs[name]}, stepscope {ours[name]}", file=sys.stderr)
    return 1 if differing or not theirs else 0


if __name__ == "__main__":
    sys.exit(main())
