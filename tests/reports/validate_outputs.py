#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Validates what a CI reads of a gate's verdict.

usage: validate_outputs.py sarif|junit|github|markdown FILE

sarif     the schema beside this file; each ruleIndex is that of its ruleId
junit     testsuites > testsuite > testcase, as Ant's and Maven's readers want it: a suite's counts are those of its
          cases, each case has a name, a class name, a time in seconds, and at most one of failure, error, skipped,
          of which the first two have a message and a type; names are unique within a class; the root has no count
          of skipped cases, which Jenkins' schema does not know
github    workflow commands alone, one a line, at most 10 of a level, properties without bare ':' and ','
markdown  at most 64 KB, tables with as many cells in each row, no HTML but what the writer writes
"""
import json
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter

import jsonschema


def check(condition, what):
    if not condition:
        raise ValueError(what)


def sarif(text):
    log = json.loads(text)
    schema = json.loads((pathlib.Path(__file__).parent / "sarif-2.1.0.written.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(log)
    for run in log["runs"]:
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        check(len(rules) == len(set(rules)), "a rule twice")
        for result in run["results"]:
            check(rules[result["ruleIndex"]] == result["ruleId"], "a result of another rule")


def check_counts(suite, cases):
    ends = Counter(end.tag for case in cases for end in case if end.tag != "system-out")
    expected = {"tests": len(cases), "failures": ends["failure"], "errors": ends["error"]}
    if suite.tag == "testsuite":
        expected["skipped"] = ends["skipped"]
    check(set(suite.attrib) == {"name", "time", *expected}, f"fields of {suite.tag}")
    for name, count in expected.items():
        check(int(suite.attrib[name]) == count, f"{name} of {suite.tag}")
    check(float(suite.attrib["time"]) >= 0, "time")


def junit(text):
    root = ElementTree.fromstring(text)
    check(root.tag == "testsuites", "the root")
    check({suite.tag for suite in root} == {"testsuite"}, "suites")
    cases = [case for suite in root for case in suite]
    for suite in [root, *root]:
        check(suite.attrib["name"], "a suite's name")
        check_counts(suite, list(suite) if suite.tag == "testsuite" else cases)
    for case in cases:
        check(case.tag == "testcase", "a case")
        check(set(case.attrib) == {"name", "classname", "time"} and float(case.attrib["time"]) >= 0, "a case's fields")
        ends = [end for end in case if end.tag != "system-out"]
        check(len(ends) <= 1 and all(end.tag in ("failure", "error", "skipped") for end in ends), "a case's end")
        for end in ends:
            check(end.attrib["message"] and (end.tag == "skipped" or end.attrib["type"]), "why a case ended so")
    names = Counter((case.attrib["classname"], case.attrib["name"]) for case in cases)
    check(max(names.values()) == 1, "a case twice")


def github(text):
    levels = Counter()
    for line in text.splitlines():
        match = re.fullmatch(r"::(error|warning|notice) ((?:file|line|title)=[^:,]*(?:,(?:file|line|title)=[^:,]*)*)::(.+)", line)
        check(match, f"no workflow command: {line}")
        levels[match[1]] += 1
    check(levels and max(levels.values()) <= 10, "more than are shown")


def markdown(text):
    check(len(text.encode()) <= 65536, "too long for a comment")
    bare = re.sub(r"`[^`]*`", "", text)
    check(set(re.findall(r"<[^>]*>?", bare)) <= {"<details>", "</details>", "<summary>", "</summary>", "<!-- -->"}, "HTML")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    check(len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) <= 1, "a row with other columns")


if __name__ == "__main__":
    {"sarif": sarif, "junit": junit, "github": github, "markdown": markdown}[sys.argv[1]](
        pathlib.Path(sys.argv[2]).read_text())
