#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs each command of a page's ```console blocks and compares what it prints with what the page shows.

usage: page_commands.py PAGE --folder FOLDER... --stepscope BIN --python PYTHON

A line that begins with "$ " is a command; the lines up to the next one are its output, stdout and stderr together. A
line `<!-- $ command -->` between blocks runs unseen. A command without lines below it may print anything and must
succeed. All commands run in one shell, in a folder that has what the FOLDERs have. The *shape* is compared, not the
figures: numbers, bars and blanks are alike, and "..." stands for any text, alone on a line for any lines.
Exit codes: 0 the page is right, 1 it is not, 2 usage, 77 a command is not installed here (ctest: skipped).
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

NUMBER = re.compile(r"[-+<]?\d[\d,]*(\.\d+)?")
UNIT = re.compile(r"(?<=# )(ns|us|ms|s)\b")
# Lines that a report has only where other programs took the cores.
OF_A_BUSY_MACHINE = re.compile(r"\s*(host\.core_wait|The steps of [AB] differ by more)")
MARK = "--- end of a command: "


def commands_of(text):
    """[(command, [lines that the page shows])] in the page's order; of unseen ones the lines are None."""
    found, inside = [], False
    for line in text.splitlines():
        unseen = re.fullmatch(r"<!-- \$ (.*) -->", line)
        if line.startswith("```"):
            inside = line == "```console"
        elif unseen and not inside:
            found.append((unseen.group(1), None))
        elif inside and line.startswith("$ "):
            found.append((line[2:], []))
        elif inside:
            found[-1][1].append(line)
    return found


def not_installed(commands):
    """The first program of the page that is not here. stepscope and python are ours."""
    programs = [command.split()[0] for command, _ in commands]
    return next((name for name in programs if name not in ("stepscope", "python", "cd", "echo")
                 and shutil.which(name) is None), None)


def shape(line):
    """The line without what differs between two runs: figures, their units, versions, bars, blanks."""
    line = re.sub(r"\bpython[\d.]+(?= )", "python", line)  # the interpreter of the test has a name of its own
    line = re.sub(r"(torch|python) \d+\.[\w.+]+", r"\1 #", line)
    line = re.sub("[█▉▊▋▌▍▎▏]+", " ", line)
    line = re.sub(r"\.scope/\S*", ".scope", NUMBER.sub("#", line))
    return UNIT.sub("t", " ".join(line.split()))


def pattern_of(line):
    """A regular expression of the shape that a line of the page asks for."""
    parts = [re.escape(shape(part)) for part in line.split("...")]
    return r"\s*.*\s*".join(parts) + r"\Z"


def missing_line(expected, printed):
    """The first line of the page that was not printed in its place, or None.

    A line follows the one before, or, behind "...", comes anywhere later. Blank lines do not count, and neither does what
    is only printed on a busy machine.
    """
    shapes = [shape(line) for line in printed if line.strip() and not OF_A_BUSY_MACHINE.match(line)]
    position, anywhere = 0, False
    for line in expected:
        if not line.strip():
            continue
        if line.strip() == "...":
            anywhere = True
            continue
        last = len(shapes) if anywhere else min(position + 1, len(shapes))
        for at in range(position, last):
            if re.match(pattern_of(line), shapes[at]):
                position, anywhere = at + 1, False
                break
        else:
            return line
    if position < len(shapes) and not anywhere:
        return f"(the page shows nothing of this line: {shapes[position]!r})"
    return None


def run_in_one_shell(commands, folder, environment):
    """[(printed lines, exit status)], one a command. The status of each is what the next one's $? says."""
    script = "".join(f"{command}\nstatus=$?; echo; echo '{MARK}'$status; (exit $status)\n" for command in commands)
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=280, check=False)
    outputs, lines = [], []
    for line in done.stdout.splitlines():
        if line.startswith(MARK):
            outputs.append((lines, int(line[len(MARK):])))
            lines = []
        else:
            lines.append(line)
    return outputs


def environment_for(stepscope, python, bin_folder):
    """The page says `stepscope` and `python`: both lead to those under test."""
    (bin_folder / "stepscope").symlink_to(stepscope)
    launcher = bin_folder / "python"
    launcher.write_text(f'#!/bin/sh\nexec "{python}" "$@"\n')
    launcher.chmod(0o755)
    return {**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "OMP_NUM_THREADS": "1",
            "COLUMNS": "100"}  # pages show what a terminal shows


def check(page, outputs, commands):
    failures = 0
    for (command, expected), (printed, status) in zip(commands, outputs):
        if not expected:
            problem = "(it should succeed)" if status else None
        else:
            problem = missing_line(expected, printed)
        if problem is None:
            continue
        failures += 1
        print(f"{page}: `{command}` (exit status {status}) does not print what the page shows:\n  {problem}\n"
              "it printed:\n  " + "\n  ".join(printed))
    if len(outputs) < len(commands):
        failures += 1
        print(f"{page}: `{commands[len(outputs)][0]}` did not end")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--folder", type=pathlib.Path, required=True, nargs="+")
    parser.add_argument("--stepscope", type=pathlib.Path, required=True)
    parser.add_argument("--python", type=pathlib.Path, required=True)
    given = parser.parse_args()
    if not given.stepscope.is_file():
        parser.error(f"{given.stepscope}: no such program; build the target stepscope")
    commands = commands_of(given.page.read_text(encoding="utf-8"))
    if not commands:
        sys.exit(f"{given.page}: no ```console block: nothing to run")
    missing = not_installed(commands)
    if missing:
        print(f"skipped: {missing} is not installed")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / given.folder[0].name
        for given_folder in given.folder:
            shutil.copytree(given_folder, folder, dirs_exist_ok=True)
        bin_folder = pathlib.Path(scratch) / "bin"
        bin_folder.mkdir()
        environment = environment_for(given.stepscope.resolve(), given.python, bin_folder)
        outputs = run_in_one_shell([command for command, _ in commands], folder, environment)
    failures = check(given.page, outputs, commands)
    print(f"{given.page}: {len(commands)} commands, {failures} not as the page shows")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
