# SPDX-License-Identifier: Apache-2.0
"""edited_lines.py [PROGRAMS]: small PyTorch programs before and after random edits, recorded for real, and whether `diff`
finds which line of one is which of the other.

A program's lines are inserted, deleted, moved, rewritten, its functions renamed and moved, and half of the edited programs
are copies under another name. The right line must be found in 95 of 100 cases, and the operations that are blamed on lines
must sum to the counted difference. The same pairs without the kept text are told apart, to know what that brings.

From the environment: STEPSCOPE_BIN, and STEPSCOPE_PYTHON, an interpreter that has torch.
"""

import copy
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

LEAST_RIGHT = 0.95
STEPS = 25
PROLOGUE = """import torch
torch.set_num_threads(1)
torch.manual_seed(0)
linears = [torch.nn.Linear(48, 48) for _ in range(10)]
parameters = [p for linear in linears for p in linear.parameters()]
opt = torch.optim.SGD(parameters, lr=0.001)
residual = torch.randn(32, 48)
""".splitlines()
STATEMENTS = [
    "x = torch.relu(x)",
    "x = x + residual",
    "x = torch.nn.functional.dropout(x, 0.1)",
    "x = linears[{n}](x)",
    "x = torch.softmax(x * {n}, -1)",
    "x = torch.nn.functional.layer_norm(x, (48,)) / ({n} + 1)",
    "x = torch.cat([x[:, :{n}], x[:, {n}:]], 1)",
    "bad = torch.isnan(x).any().item()",
    "saved = x.clone().detach()[{n}:]",
    "norm = sum(p.norm() for p in parameters[:{n}])",
    "x = x.abs().sqrt() - {n}",
]


class Line:
    def __init__(self, text, function=None):
        self.text, self.function = text, function


class Program:
    """Functions as lists of lines, called in turn by each step. A line is the same object before and after an edit."""

    def __init__(self, rng):
        self.rng, self.name = rng, "train.py"
        self.functions = []
        for i in range(rng.randint(2, 5)):
            body = [self.statement() for _ in range(rng.randint(3, 9))]
            self.functions.append([Line("def part%d(x):" % i), body])
        self.calls = [Line(None, function) for function in self.functions]
        self.rest = [Line(text) for text in ("out = out.square().mean()", "opt.zero_grad()", "out.backward()", "opt.step()")]

    def statement(self):
        return Line(self.rng.choice(STATEMENTS).format(n=self.rng.randint(1, 8)))

    def edited(self):
        other = copy.copy(self)
        other.functions = [[header, list(body)] for header, body in self.functions]
        kept = {id(old): new for old, new in zip(self.functions, other.functions)}
        other.calls = list(self.calls)
        other.called = {id(call): kept[id(call.function)] for call in self.calls}
        other.changed = {}
        other.name = self.rng.choice(["train.py", "train2.py"])
        edits = [other.insert, other.insert, other.erase, other.move, other.rewrite, other.rename, other.move_function]
        for _ in range(self.rng.randint(1, 5)):
            self.rng.choice(edits)()
        return other

    def body(self):
        return self.rng.choice(self.functions)[1]

    def insert(self):
        body = self.body()
        at = self.rng.randint(0, len(body))
        body[at:at] = [self.statement() for _ in range(self.rng.randint(1, 4))]

    def erase(self):
        body = self.body()
        if len(body) > 1:
            body.pop(self.rng.randrange(len(body)))

    def move(self):
        body = self.body()
        if body:
            line = body.pop(self.rng.randrange(len(body)))
            body.insert(self.rng.randint(0, len(body)), line)

    def rewrite(self):
        body = self.body()
        if body:
            line = self.rng.choice(body)
            self.changed[id(line)] = line.text + self.rng.choice([" + 0", "  # why", " * 1.5"])

    def rename(self):
        header = self.rng.choice(self.functions)[0]
        self.changed[id(header)] = "def renamed%d(x):" % self.rng.randint(1, 10**6)

    def move_function(self):
        self.functions.append(self.functions.pop(0))

    def text_of(self, line):
        return getattr(self, "changed", {}).get(id(line), line.text)

    def lines(self):
        """(text, Line or nothing) of each line of the file."""
        out = [(text, None) for text in PROLOGUE] + [("", None)]
        for header, body in self.functions:
            out += [(self.text_of(header), header)] + [("    " + self.text_of(line), line) for line in body]
            out += [("    return x", None), ("", None)]
        out += [("def main():", None), ("    for _ in range(%d):" % STEPS, None), ("        out = torch.randn(32, 48, requires_grad=True)", None)]
        for call in self.calls:
            function = getattr(self, "called", {}).get(id(call), call.function)
            name = self.text_of(function[0])[4:].split("(")[0]
            out.append(("        out = %s(out)" % name, call))
        return out + [("        " + line.text, line) for line in self.rest] + [("", None), ("main()", None)]


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True, timeout=300).stdout


def record(program, folder, side, options=()):
    place = pathlib.Path(folder, side)
    place.mkdir(exist_ok=True)
    script = place / program.name
    script.write_text("\n".join(text for text, _ in program.lines()) + "\n")
    scope = place / "run"
    run(os.environ["STEPSCOPE_BIN"], "profile", "--overwrite", "-o", scope, *options, "--",
        os.environ["STEPSCOPE_PYTHON"], script)
    return f"{scope}.scope"


def numbers(program):
    return {id(line): i for i, (_, line) in enumerate(program.lines(), 1) if line is not None}


def right_lines(difference, before, after):
    """How many of the lines with time have the right partner, and of how many."""
    a_lines, b_lines = before.lines(), after.lines()
    a_number, b_number = numbers(before), numbers(after)
    right = known = 0
    for row in difference["lines"]:
        if not os.path.basename(row.get("file", "")).startswith("train"):
            continue
        a, b = row.get("a_line", 0), row.get("b_line", 0)
        a_line = a_lines[a - 1][1] if a else None
        b_line = b_lines[b - 1][1] if b else None
        if a_line is None and b_line is None:
            continue
        known += 1
        if a_line is not None and b_line is not None:
            right += a_line is b_line
        else:
            right += id(a_line) not in b_number and id(b_line) not in a_number
    return right, known


def blamed(difference):
    """The difference of a step's operations, and the sum of what its lines are blamed for."""
    for count in difference["counts"]:
        if count["name"] == "cpu_ops":
            return count["b_per_step"] - count["a_per_step"], sum(l["b_per_step"] - l["a_per_step"] for l in count["lines"])
    return 0, 0


def compared(program, edited, folder, options):
    sides = [record(program, folder, "a", options), record(edited, folder, "b", options)]
    return json.loads(run(os.environ["STEPSCOPE_BIN"], "diff", "--anyway", "--format", "json", *sides))


def main():
    programs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    rng = random.Random(7)
    totals = {"with text": [0, 0], "without": [0, 0]}
    wrong = []
    for number in range(programs):
        before = Program(rng)
        after = before.edited()
        for how, options in (("with text", ()), ("without", ("--no-source-text",))):
            with tempfile.TemporaryDirectory() as folder:
                difference = compared(before, after, folder, options)
            right, known = right_lines(difference, before, after)
            totals[how][0] += right
            totals[how][1] += known
            counted, sum_of_lines = blamed(difference)
            if abs(counted - sum_of_lines) > 1e-6 or difference["residual_ns"] != 0:
                wrong.append(f"program {number}: lines are blamed for {sum_of_lines} of {counted} operations")
    for how, (right, known) in totals.items():
        print(f"{how}: {right} of {known} lines right, {100 * right / max(known, 1):.1f} %")
    right, known = totals["with text"]
    if known < 10 * programs or right < LEAST_RIGHT * known:
        wrong.append(f"{right} of {known} lines are right")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
