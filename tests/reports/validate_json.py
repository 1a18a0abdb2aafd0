#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Validates stepscope's JSON documents against reports/schema and checks the sums that must be exact.

usage: validate_json.py SCHEMA_DIR FILE...   (a file may hold several documents, one after another)
"""
import json
import pathlib
import sys
from collections import Counter

import jsonschema


def validators(folder):
    out = {}
    for path in pathlib.Path(folder).glob("*.schema.json"):
        schema = json.loads(path.read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        name = schema["properties"]["schema"]["const"]
        out[name] = jsonschema.Draft202012Validator(schema)
    return out


def documents(text):
    decoder = json.JSONDecoder()
    at = 0
    while at < len(text.rstrip()):
        document, at = decoder.raw_decode(text, at)
        at += len(text[at:]) - len(text[at:].lstrip())
        yield document


def check(condition, what):
    if not condition:
        raise ValueError(what)


def check_partition(partition, cells):
    total = partition["wall_ns_total"]
    parts = {p["cause"]: p["ns_total"] for p in partition["parts"]}
    check(sum(parts.values()) == total, "parts do not sum to the wall time")
    by_cause = Counter()
    for cell in cells:
        by_cause[cell["cause"]] += cell["ns_total"]
    check(dict(by_cause) == parts, "cells do not sum to the parts")


def check_report(report):
    for step in report["steps"]["list"]:
        if step["wall_ns"] is not None:
            check(sum(step["parts"].values()) == step["wall_ns"], f"parts of step {step['id']}")
    counted = [s for s in report["steps"]["list"] if s["counted"]]
    partition = report["partition"]
    ranks = len(report["job"]["ranks"]) if "job" in report else 1
    check(ranks * len(counted) == partition["steps_counted"], "counted steps")
    cells = report["cells"]
    check_partition(partition, [c for c in cells if "device" not in c])
    for device in report["devices"]:
        check_partition(device, [c for c in cells if c.get("device") == device["device"]])
    for sent in report["collectives"]:
        check(sent["ns_total"] == 0 or abs(sent["bytes_per_second"] * sent["ns_total"] / 1e9 - sent["bytes_total"])
              <= 1e-6 * sent["bytes_total"], "a rate that is not bytes over time")
    outermost = [p["wall_ns_total"] for p in report["phases"] if "parent" not in p]
    check(sum(outermost) == partition["wall_ns_total"], "phases do not sum to the wall time")
    known = {p["path"] for p in report["phases"]}
    check(all(c["phase_path"] in known for c in cells), "a cell's phase has no row")
    with_line = sum(c["ns_total"] for c in cells if "file" in c and "device" not in c)
    check(sum(l["ns_total"] for l in report["lines"]) == with_line, "lines do not sum to the cells")


def check_diff(diff):
    delta = diff["b"]["wall_ns_total"] - diff["a"]["wall_ns_total"]
    check(diff["delta_ns_total"] == delta, "the difference is not that of the sides")
    for table in ("parts", "causes", "phases", "lines"):
        rows = diff[table]
        check(not rows or sum(row["delta_ns_total"] for row in rows) == delta, f"{table} do not sum to the difference")
    check(diff["comparable"] == (not diff["why_not"]), "comparable, and why not")


def main():
    by_schema = validators(sys.argv[1])
    seen = 0
    for name in sys.argv[2:]:
        for document in documents(pathlib.Path(name).read_text()):
            by_schema[document["schema"]].validate(document)
            if document["schema"] == "stepscope.diff/1":
                check_diff(document)
                seen += 1
                continue
            if document["schema"] == "stepscope.whatif/1":
                seen += 1
                continue
            reports = document.get("reports", [document])
            for report in reports:
                by_schema["stepscope.report/1"].validate(report)
                check_report(report)
            seen += len(reports)
    check(seen > 0, "no document was read")
    print(f"{seen} documents are valid")


if __name__ == "__main__":
    main()
