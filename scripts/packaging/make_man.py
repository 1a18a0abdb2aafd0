#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_man.py STEPSCOPE: the manual page stepscope(1) on stdout, from what --help of the command and its verbs says."""
import re
import subprocess
import sys


def help_of(*words):
    return subprocess.run([sys.argv[1], *words, "--help"], capture_output=True, text=True, check=True).stdout.rstrip()


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.split("\n"))


def as_printed(text):
    return ".nf\n" + escaped(text) + "\n.fi\n"


def verbs_below(*above):
    """Every verb, each followed by those below it: gate, gate run, gate history, ..."""
    _, _, behind = help_of(*above).partition("Subcommands:\n")
    for verb in re.findall(r"^  ([a-z]+)(?: {2,}|$)", behind.partition("\n\n")[0], re.M):
        yield " ".join((*above, verb))
        yield from verbs_below(*above, verb)


def main():
    version = subprocess.run([sys.argv[1], "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    whole = help_of()
    verbs = list(verbs_below())
    page = f'.TH STEPSCOPE 1 "" "stepscope {version}" "User Commands"\n'
    page += ".SH NAME\nstepscope \\- where the wall time of a training step goes\n.SH SYNOPSIS\n"
    page += "".join(f".B stepscope {verb}\n[OPTIONS]\n.br\n" for verb in verbs)
    page += ".SH DESCRIPTION\n" + as_printed(whole)
    for verb in verbs:
        page += f".SH {verb.upper()}\n" + as_printed(help_of(*verb.split()))
    sys.stdout.write(page)


if __name__ == "__main__":
    main()
