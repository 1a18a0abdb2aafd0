#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of the documentation that page_commands.py does not: indented ones, fenced ones, and those in sentences.

usage: shown_commands.py --stepscope BIN --python PYTHON --build FOLDER [--only PAGE] [--trainers with|without] [--list]

Pages: README.md, CONTRIBUTING.md, docs/*.md, docs/findings/*.md, examples/*.md. The commands of a page run in its order in
one shell, in a folder of its own that has the files which pages name (stage.py). A command in a sentence runs
where it is whole: it names a file, or takes none. Pages that run a reference trainer are those "with"; the trainers are
built after the profiler, so their project runs these. not_run.py lists what does not run, and why.
Exit codes: 0 all do what their page says, 1 one fails, 2 usage.
"""
import argparse
import importlib.machinery
import importlib.util
import pathlib
import re
import shutil
import sys
import tempfile

import not_run
import page_commands
import stage as stage_files

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAMS = ("stepscope", "python", "python3", "torchrun", "nsys", "git", "cd", "mkdir", "pip", "apt", "cmake", "ctest", ".", "./train")
PLACEHOLDER = re.compile(r"\b[A-Z]+\b|<[a-z]+>")
WHOLE_WITHOUT_FILE = re.compile(r"stepscope (doctor|mcp|explain \w+|completion \w+|--\w+|\w+ --help)")
FILE = re.compile(r"[\w*]+\.(scope|json|json\.gz|sqlite)\b| -- \S")


def load_check_docs():
    loader = importlib.machinery.SourceFileLoader("check_docs", str(ROOT / "scripts/check-docs"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_docs", loader))
    loader.exec_module(module)
    return module


check_docs = load_check_docs()


def pages():
    patterns = ("README.md", "CONTRIBUTING.md", "docs/*.md", "docs/findings/*.md", "examples/*.md")
    return [page for pattern in patterns for page in sorted(ROOT.glob(pattern))]


def joined(lines):
    """Lines that end in a backslash, with their next ones."""
    whole = ""
    for line in lines:
        whole += line.strip()
        if whole.endswith("\\"):
            whole = whole[:-1]
            continue
        yield whole
        whole = ""


def is_command(line):
    first = line.split()[0] if line.split() else ""
    return first in PROGRAMS or re.fullmatch(r"(scripts|build|/opt)/[\w./-]+", first) is not None


def code_commands(page):
    """Commands that stand on lines of their own, without the explanation beside them."""
    _, code = check_docs.split_code(page.read_text(encoding="utf-8"))
    for line in joined(line for _, line in code if not line.startswith("$ ")):
        line = re.sub(r"^- (run: )?", "", line)
        line = re.split(r"\s{3,}|\s+# ", line)[0]
        if is_command(line):
            yield line


def sentence_commands(page):
    prose, _ = check_docs.split_code(page.read_text(encoding="utf-8"))
    for _, line in prose:
        for text in check_docs.INLINE_CODE.findall(line):
            text = re.sub(r"[\[\]]", "", text).replace("-- ...", "-- python train.py")
            if not text.startswith("stepscope ") or PLACEHOLDER.search(text):
                continue
            if WHOLE_WITHOUT_FILE.fullmatch(text) or FILE.search(text):
                yield text


def unseen_commands(text):
    """A page without ```console blocks prepares its commands by `<!-- $ command -->`; of others page_commands.py does."""
    return [] if "```console" in text else re.findall(r"^<!-- \$ (.*) -->$", text, re.M)


class Lists:
    """not_run.py's, and which of its entries were of use."""

    def __init__(self):
        self.used = set()

    def reason(self, command):
        for pattern, reason in not_run.NOT_RUN:
            if re.fullmatch(pattern, command):
                self.used.add(pattern)
                return reason
        return None

    def to_run(self, command):
        for pattern, other, _ in not_run.OTHER:
            command, times = re.subn(pattern, other, command)
            if times:
                self.used.add(pattern)
        return command

    def unused(self):
        every = [entry[0] for entry in (*not_run.NOT_RUN, *not_run.OTHER)]
        return [entry for entry in every if entry not in self.used]


def launcher(path, command):
    path.write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
    path.chmod(0o755)


def right_statuses(command):
    return next((right for begin, right in not_run.ANSWERS if command.startswith(begin)), {0})


def as_run(command):
    """A window waits for somebody who closes it, so it is drawn as a picture."""
    if command.startswith("stepscope view") and "--screenshot" not in command:
        return command + " --screenshot shown.png"
    return command


def run_page(name, commands, stage, environment):
    """How many of the commands failed; each is told."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "stage"
        shutil.copytree(stage, folder)
        outputs = page_commands.run_in_one_shell([as_run(command) for command in commands], folder, environment)
    failed = 0
    for command, (printed, status) in zip(commands, outputs):
        if status not in right_statuses(command):
            failed += 1
            print(f"{name}: `{command}` ends with status {status}:\n  " + "\n  ".join(printed[-12:]))
    for command in commands[len(outputs):]:
        failed += 1
        print(f"{name}: `{command}` did not end")
    return failed


def commands_by_page(lists, listed):
    """{page: commands}; a command in a sentence is run once, however many pages say it."""
    found, said = {}, set()
    for page in pages():
        name = str(page.relative_to(ROOT))
        commands = unseen_commands(page.read_text(encoding="utf-8"))
        of_page = [*code_commands(page), *(one for one in sentence_commands(page) if one not in said)]
        said.update(of_page)
        for command in of_page:
            reason = lists.reason(command)
            if listed:
                print(f"{name}: {command}" + (f"    [not run: {reason}]" if reason else ""))
            if reason is None:
                commands.append(lists.to_run(command))
        found[name] = commands
    return found


def trainers_of(commands):
    return "with" if any(re.search(r"stepscope (train|ladder) \w", command) for command in commands) else "without"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stepscope", type=pathlib.Path, required=True)
    parser.add_argument("--python", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--only", help="one page, as docs/gate.md")
    parser.add_argument("--trainers", choices=("with", "without"), help="only pages that do, or do not, run a reference trainer")
    parser.add_argument("--list", action="store_true", help="say which commands there are")
    given = parser.parse_args()
    lists = Lists()
    by_page = commands_by_page(lists, given.list)
    failed = 0
    for entry in lists.unused():
        failed += 1
        print(f"not_run.py: no page has a command like {entry!r}")
    with tempfile.TemporaryDirectory() as scratch:
        bin_folder, modules, stage = (pathlib.Path(scratch) / name for name in ("bin", "modules", "stage"))
        for folder in (bin_folder, modules, stage):
            folder.mkdir()
        environment = page_commands.environment_for(given.stepscope.resolve(), given.python, bin_folder)
        environment = {**environment, "PYTHONPATH": str(modules), "HOME": scratch, "GITHUB_STEP_SUMMARY": "summary.md"}
        launcher(bin_folder / "torchrun", f'"{given.python}" -m torch.distributed.run')
        stage_files.modules(modules, given.build)
        stage_files.set_up(stage, environment)
        wanted = {name: commands for name, commands in by_page.items()
                  if commands and given.only in (None, name) and given.trainers in (None, trainers_of(commands))}
        failed += sum(run_page(name, commands, stage, environment) for name, commands in wanted.items())
    print(f"{sum(map(len, wanted.values()))} commands of {len(wanted)} pages run, {failed} problems")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
