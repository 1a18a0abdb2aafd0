#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The corpus's judgements can fail: each on a report by hand that breaks one of them. And each program has a clock."""
import copy
import pathlib
import unittest

import corpus
import judge

SOURCE = "a\nb\nslow()  # planted: host.off_cpu\n"
OWN = {"steps": 4, "begins_ns": [0, 100, 200, 300, 400]}
REPORT = {
    "steps": {"count": 4, "found_by": "optimizer", "list": [{"id": i, "steady": i > 0} for i in range(4)]},
    "partition": {"wall_ns_total": 300, "wall_ns_per_step": 100.0, "steps_counted": 3},
    "cells": [{"cause": "host.off_cpu", "file": "/x/p.py", "line": 3, "ns_total": 200},
              {"cause": "gpu.gemm", "file": "/x/p.py", "line": 1, "ns_total": 98},
              {"cause": "gpu.gemm", "file": "/x/p.py", "line": 1, "device": 0, "ns_total": 900},
              {"cause": "unknown", "ns_total": 2}],
}


def verdict(change=None, own=None, source=SOURCE):
    report = copy.deepcopy(REPORT)
    if change:
        change(report)
    return judge.judge(report, own or OWN, "p.py", source, "cpu")


class Judge(unittest.TestCase):
    def test_a_right_report_holds(self):
        self.assertEqual(verdict(), [])

    def test_a_wrong_number_of_steps(self):
        self.assertIn("4 steps in place of 5", verdict(own={"steps": 5, "begins_ns": list(range(6))}))

    def test_a_headline_off_the_own_clock(self):
        self.assertEqual(verdict(lambda r: r["partition"].update(wall_ns_per_step=102.0)), ["headline +2.0 % off the own clock"])

    def test_too_much_unexplained(self):
        self.assertEqual(len(verdict(lambda r: r["cells"][3].update(ns_total=4))), 1)

    def test_too_few_lines(self):
        self.assertIn("33 % with a line", verdict(lambda r: r["cells"][0].pop("file")))

    def test_a_planted_line_that_is_not_named(self):
        self.assertEqual(verdict(lambda r: r["cells"][0].update(line=2)), ["line 3 (host.off_cpu) not among the first three"])

    def test_a_planted_cause_that_another_takes(self):
        self.assertEqual(len(verdict(lambda r: r["cells"][0].update(cause="host.python"))), 1)

    def test_a_program_of_samples_alone_is_held_to_its_lines(self):
        def sampled(report):
            report["trust"] = {"notes": ["all that is known of it are samples"]}
            report["steps"]["count"] = 1
        self.assertEqual(verdict(sampled), [])
        self.assertEqual(len(verdict(lambda r: (sampled(r), r["cells"][0].update(line=2)))), 1)

    def test_marks_for_a_gpu_count_there_alone(self):
        marked = "x  # planted on a GPU: host_sync\n"
        self.assertEqual(list(judge.planted_lines(marked, "cpu")), [])
        self.assertEqual(list(judge.planted_lines(marked, "cuda")), [(1, "host_sync")])

    def test_warm_up_may_not_eat_the_run(self):
        self.assertIn("only 1 of 4 steps counted", verdict(lambda r: r["partition"].update(steps_counted=1)))

    def test_on_busy_cores_steps_and_headline_are_held(self):
        report = copy.deepcopy(REPORT)
        report["cells"][3]["ns_total"] = 90
        self.assertEqual(judge.judge(report, OWN, "p.py", SOURCE, "cpu", busy=True), [])
        report["partition"]["wall_ns_per_step"] = 110.0
        self.assertEqual(len(judge.judge(report, OWN, "p.py", SOURCE, "cpu", busy=True)), 1)

    def test_inner_steps_count_too(self):
        self.assertEqual(verdict(own={**OWN, "steps": 2, "begins_ns": [0, 200, 400], "inner": 2}), [])


class Programs(unittest.TestCase):
    def test_each_has_its_own_clock(self):
        for path in (pathlib.Path(__file__).parent / "programs").glob("*.py"):
            if path.stem in corpus.MODULES:
                continue
            text = path.read_text()
            if "from keras_fit import" in text:
                text = (path.parent / "keras_fit.py").read_text()
            self.assertIn("clock.done(", text, path.name)


if __name__ == "__main__":
    unittest.main()
