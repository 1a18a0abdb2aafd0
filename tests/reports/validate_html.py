#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks pages that stepscope wrote: every tag closes in order, nothing is loaded from elsewhere, ids are
unique, one script of our own; and, beside a report's JSON document, that the page's sums are its sums.

usage: validate_html.py PAGE [REPORT.json]
"""
import json
import pathlib
import re
import sys
from html.parser import HTMLParser

HOLD_NOTHING = {"meta", "link", "input", "br"}
LARGEST_PAGE = 1 << 20


def check(condition, what):
    if not condition:
        raise ValueError(what)


class Page(HTMLParser):
    """Every element as (name, attributes), and the text; raises where the markup is not strict."""

    def __init__(self, text):
        super().__init__(convert_charrefs=False)
        self.open, self.elements, self.words, self.titles = [], [], [], 0
        self.feed(text)
        self.close()
        check(not self.open, f"never closed: {self.open}")

    def add(self, name, attributes):
        keys = [key for key, _ in attributes]
        check(len(keys) == len(set(keys)), f"<{name}> says an attribute twice")
        check(not any(key.startswith("on") for key in keys), f"<{name}> holds script in an attribute")
        self.elements.append((name, dict(attributes)))
        self.titles += name == "title" and "svg" not in self.open

    def handle_starttag(self, name, attributes):
        self.add(name, attributes)
        if name not in HOLD_NOTHING:
            self.open.append(name)

    def handle_startendtag(self, name, attributes):
        check("svg" in self.open, f"<{name}/> outside of a picture")
        self.add(name, attributes)

    def handle_endtag(self, name):
        check(self.open and self.open[-1] == name, f"</{name}> closes {self.open[-1:]}")
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] in ("script", "style"):
            return
        check("<" not in data and ">" not in data, f"not escaped: {data!r}")
        self.words.append(data)

    def handle_entityref(self, name):
        check(name in ("amp", "lt", "gt", "quot"), f"&{name};")

    def handle_comment(self, data):
        raise ValueError(f"a comment: {data!r}")

    def with_attribute(self, key):
        return [attributes for _, attributes in self.elements if key in attributes]


def check_form(text, page):
    check(len(text.encode()) < LARGEST_PAGE, f"{len(text.encode())} bytes are too many for a page")
    check(text.startswith("<!DOCTYPE html>\n"), "no doctype")
    names = [name for name, _ in page.elements]
    names = [name for name in names if name != "title"] + ["title"] * page.titles
    for once in ("html", "head", "title", "body", "style", "script"):
        check(names.count(once) == 1, f"{names.count(once)} times <{once}>")
    for never in ("img", "iframe", "object", "embed", "base", "form"):
        check(never not in names, f"<{never}>")
    ids = [attributes["id"] for attributes in page.with_attribute("id")]
    check(len(ids) == len(set(ids)), "an id is there twice")
    for name, attributes in page.elements:
        for key in ("href", "src", "xlink:href"):
            check(attributes.get(key, "#").startswith(("#", "data:")), f"<{name}> loads {attributes.get(key)}")
    for url in re.findall(r"url\(([^)]*)\)", text):
        check(url.startswith("#"), f"loads {url}")


def numbers(rows, key):
    return [int(attributes[key]) for attributes in rows]


def check_sums(page, report):
    wall = report["partition"]["wall_ns_total"]
    causes = {a["data-cause"]: int(a["data-ns"]) for a in page.with_attribute("data-cause")}
    check(causes == {p["cause"]: p["ns_total"] for p in report["partition"]["parts"]}, "the page's causes")
    walls = numbers(page.with_attribute("data-wall-ns"), "data-wall-ns")
    check(all(one == wall for one in walls) and bool(walls) == bool(causes), f"the page's wall times: {walls}")
    check(not causes or sum(causes.values()) == wall, "the page's causes do not sum to its wall time")
    phases = {a["data-phase"]: int(a["data-ns"]) for a in page.with_attribute("data-phase")}
    if phases:
        check(phases == {p["path"]: p["wall_ns_total"] for p in report["phases"]}, "the page's phases")
        outermost = [a for a in page.with_attribute("data-phase") if a["data-depth"] == "0"]
        check(sum(numbers(outermost, "data-ns")) == wall, "the page's phases do not sum to the wall time")
    found = [a["data-finding"] for a in page.with_attribute("data-finding")]
    check(found == [finding["id"] for finding in report["findings"]], f"the page's findings: {found}")
    lines = [a for name, a in page.elements
             if "data-line" in a or (name == "p" and a.get("class") == "rest")]
    if lines:
        check(sum(numbers(lines, "data-ns")) == wall, "the page's lines do not sum to the wall time")
        by_line = {}
        for line in report["lines"]:
            key = f"{line['file']}:{line['line']}"
            by_line[key] = by_line.get(key, 0) + line["ns_total"]
        for attributes in page.with_attribute("data-line"):
            check(int(attributes["data-ns"]) <= by_line[attributes["data-line"]], attributes["data-line"])


def main():
    text = pathlib.Path(sys.argv[1]).read_bytes().decode("utf-8", errors="strict")
    page = Page(text)
    check_form(text, page)
    if len(sys.argv) > 2:
        check_sums(page, json.loads(pathlib.Path(sys.argv[2]).read_text()))
    print(f"{sys.argv[1]}: {len(page.elements)} elements, well-formed")


if __name__ == "__main__":
    main()
