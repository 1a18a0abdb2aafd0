#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Validates gates' and policies' JSON documents against reports/schema, and that a verdict follows from its metrics.

usage: validate_gate.py SCHEMA_DIR FILE...
"""
import json
import pathlib
import sys

import jsonschema


def check(condition, what):
    if not condition:
        raise ValueError(what)


def check_gate(gate):
    verdicts = [metric["verdict"] for metric in gate["metrics"]]
    regression = "regression" in verdicts
    check((gate["verdict"] == "regression") == regression, "a regression is that of a metric")
    passes = gate["comparable"] and "pass" in verdicts and "inconclusive" not in verdicts and not regression
    check((gate["verdict"] == "pass") == passes, "a pass is that of every metric")
    check(gate["comparable"] == (not gate["why_not"]), "comparable, and why not")
    for metric in gate["metrics"]:
        low, high = metric.get("ratio_low"), metric.get("ratio_high")
        check(low is None or high is None or low <= high, "bounds in the wrong order")
        if metric["verdict"] == "regression" and low is not None:
            check(low > 1 + metric["tolerance"], "a regression within its tolerance")
        if metric["verdict"] == "pass" and high is not None:
            check(high < 1 + metric["tolerance"], "a pass that is not ruled out")


def main():
    folder = pathlib.Path(sys.argv[1])
    for name in sys.argv[2:]:
        document = json.loads(pathlib.Path(name).read_text())
        kind = document["schema"].removeprefix("stepscope.").replace("/", "-")
        schema = json.loads((folder / f"{kind}.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.Draft202012Validator(schema).validate(document)
        if kind == "gate-1":
            check_gate(document)


if __name__ == "__main__":
    main()
