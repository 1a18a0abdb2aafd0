# SPDX-License-Identifier: Apache-2.0
"""Processes that live at once and make steps of a program in turn (programs/turn_times.py)."""

import os
import shlex
import signal
import statistics
import subprocess

import support


class Turn:
    """One process, under the command that `wrap` makes of its own."""

    def __init__(self, name, words, options, wrap=lambda command: command, environment=None):
        self.name = name
        base = os.path.join(options.out, name)
        self.pipes = [base + ".requests", base + ".replies"]
        for pipe in self.pipes:
            if os.path.exists(pipe):
                os.remove(pipe)
            os.mkfifo(pipe)
        pinned = ["taskset", "-c", options.cores] if options.cores else []
        command = wrap([*pinned, options.python, support.program("turn_times.py"), *self.pipes, *words])
        self.log = open(base + ".log", "w")
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT,
                                        start_new_session=True,
                                        env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1", PYTHONHASHSEED="0",
                                                 **(environment or {})))
        # Opened for both directions: a program that ends early leaves no open() that waits for ever.
        self.requests, self.replies = (os.fdopen(os.open(pipe, os.O_RDWR), kind) for pipe, kind in zip(self.pipes, "wr"))

    def answer(self, limit_s):
        def too_late(*_):
            raise RuntimeError(f"{self.name} said nothing for {limit_s} s; see {self.log.name}")
        signal.signal(signal.SIGALRM, too_late)
        signal.alarm(limit_s)
        try:
            return self.replies.readline().strip()
        finally:
            signal.alarm(0)

    def wait_until_ready(self, limit_s):
        if (said := self.answer(limit_s)) != "ready":
            raise RuntimeError(f"{self.name} said {said!r} at its start")

    def ask(self, what):
        self.requests.write(f"{what}\n")
        self.requests.flush()
        return self.answer(60)

    def steps(self, count):
        """Milliseconds a step."""
        return float(self.ask(count))

    def finish(self, limit_s):
        """As the program would: with all that a profiler writes."""
        self.requests.write("\n")
        self.requests.flush()
        if status := self.process.wait(limit_s):
            raise RuntimeError(f"{self.name} ended with {status}; see {self.log.name}")

    def end(self):
        """By force: what a profiler writes at an end is not measured here, and takes its time."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.log.close()


def rounds(turns, options):
    """{name: a time a round} of {name: Turn}, in turning order; the first round is thrown away."""
    names = list(turns)
    times = {name: [] for name in names}
    for number in range(options.rounds + 1):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            times[name].append(turns[name].steps(options.steps))
    return {name: values[1:] for name, values in times.items()}


def ratio(times, over, under):
    return statistics.median(a / b for a, b in zip(times[over], times[under]))


def measured_sets(make, measure, options):
    """What `measure` finds of each set {name: Turn} that `make` starts for a number; some sets live at the same time."""
    found = []
    for begin in range(0, options.sets, options.at_once):
        made = [make(number) for number in range(begin, min(begin + options.at_once, options.sets))]
        everyone = [turn for turns in made for turn in turns.values()]
        try:
            for turn in everyone:
                turn.wait_until_ready(options.limit)
            found += [measure(turns) for turns in made]
        finally:
            for turn in everyone:
                turn.end()
    return found


def parser(description, sets):
    made = support.parser(description)
    made.add_argument("--sets", type=int, default=sets)
    made.add_argument("--at-once", type=int, default=3, help="sets that live at the same time")
    made.add_argument("--rounds", type=int, default=20)
    made.add_argument("--steps", type=int, default=10, help="of a stretch")
    made.add_argument("--cores", help="for taskset, such as 2-7; default: not pinned")
    made.add_argument("--limit", type=int, default=180, help="seconds to the first step")
    made.add_argument("programs", nargs="+", help="quoted command lines without the interpreter")
    return made


def each_program(options, judge):
    """The rows that `judge` makes of each program's words, with the program in them."""
    support.need_torch(options.python)
    return [{"program": program, **judge(shlex.split(program))} for program in options.programs]
