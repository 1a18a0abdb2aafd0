# SPDX-License-Identifier: Apache-2.0
"""The parts of the GPU tests that need no GPU: what they read, and that their judgements can fail."""

import collections
import os
import re
import shutil
import sys
import tempfile
import types
import unittest

import numpy

import api_calls
import bisect_graphs
import chrome_trace
import corrected
import deep
import device_ops
import endings_checks
import graph_soak
import intervals
import launch_soak
import overhead
import overlap
import pm_sampling
import rivals
import runtime_calls
import scope_file
import starts
import support

BROKEN = {"dropped": 0, "zero_timestamps": 0, "broken_invariants": ["one"]}
DATA = os.path.join(support.HERE, "..", "data", "store")


def text_of(escaped):
    data = re.sub(rb"\\x([0-9a-f]{2})", lambda found: bytes.fromhex(found[1].decode()), escaped.encode())
    return data.decode("utf-8", "surrogateescape")


def recording(ops=(), calls=(), names=()):
    def table(rows):
        columns = list(zip(*rows)) or [[], [], [], []]
        return scope_file.Table(*(numpy.array(column, numpy.int64) for column in columns))
    return scope_file.Recording("", list(names), table(ops), table(calls), 0, 0, True)


class BisectGraphs(unittest.TestCase):
    """A program that is broken by some of our parts, and runs as they are left out."""

    def found(self, breaks, budget_runs=100):
        asked = []

        def clean(name, command, setting, repeats):
            asked.append(setting.environment["STEPSCOPE_WITHOUT"].split(","))
            return None if len(asked) > budget_runs else breaks(set(bisect_graphs.PARTS) - set(asked[-1]))

        bench = types.SimpleNamespace(clean=clean)
        culprit = bisect_graphs.smallest_culprit(bench, "p", ["p"], types.SimpleNamespace(repeats=1))
        self.assertEqual(asked[0], bisect_graphs.PARTS)
        return culprit

    def test_each_single_part_is_found(self):
        for part in bisect_graphs.PARTS:
            self.assertEqual(self.found(lambda present, part=part: part not in present), [part])

    def test_two_parts_that_each_break_it_are_found_together(self):
        both = self.found(lambda present: not present & {"calls", "flush"})
        self.assertTrue({"calls", "flush"} <= set(both))

    def test_nothing_is_blamed_where_it_breaks_without_us(self):
        self.assertEqual(self.found(lambda present: False), [])

    def test_what_is_left_is_said_where_time_ran_out(self):
        self.assertEqual(self.found(lambda present: "state" not in present, budget_runs=3), bisect_graphs.PARTS[4:])

    def test_whole_graphs_are_one_op_each_and_nothing_beside(self):
        ops = [(1, 2, 0, bisect_graphs.GRAPH), (2, 3, 0, bisect_graphs.GRAPH), (3, 4, 0, scope_file.MEMCPY)]
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(os.path.join(DATA, "v1.sst"), folder)
            self.assertGreater(sum(bisect_graphs.ops_of(folder).values()), 0)
        counts = {kind: sum(op[3] == kind for op in ops) for kind in range(5)}
        self.assertEqual(bisect_graphs.missing_ops(counts, 2), "")
        self.assertIn("2 graphs and 0 kernels", bisect_graphs.missing_ops(counts, 3))
        self.assertIn("1 kernels", bisect_graphs.missing_ops({**counts, scope_file.KERNEL: 1}, 2))

    def test_the_first_complaint_is_the_cause_not_the_clock(self):
        text = '{"own_clock": {"x": "Error: 1"}}\nE 1 cuda_event.cc:50] CUDA_ERROR_LAUNCH_FAILED\nlater CUDA_ERROR'
        self.assertIn("cuda_event", bisect_graphs.first_complaint(text))
        self.assertEqual(bisect_graphs.first_complaint('{"launches": 5, "wrong": 0}'), "")


class ScopeFile(unittest.TestCase):
    def test_device_ops_of_the_stored_files(self):
        with open(os.path.join(DATA, "v1.txt")) as file:
            rows = [re.match(r"op (\S+) (\S+) '(.*?)' kind (\d+) stream", line) for line in file]
        expected = sorted((int(m[1]), int(m[2]), text_of(m[3]), int(m[4])) for m in rows if m)
        for name in ("v1.sst", "v1_plain.sst"):
            read = scope_file.read_file(os.path.join(DATA, name))
            ops = read.device_ops
            found = sorted((int(b), int(e), read.names[n], int(k))
                           for b, e, n, k in zip(ops.begin, ops.end, ops.name, ops.kind))
            self.assertEqual(found, expected)
            self.assertEqual((read.dropped, read.zero_timestamps, read.finished), (1, 2, True))

    def test_totals_are_those_of_the_whole_file(self):
        path = os.path.join(DATA, "v1.sst")
        read, totals = scope_file.read_file(path), scope_file.totals(path)
        expected = {scope_file.DEVICE_OPS: len(read.device_ops.begin), scope_file.HOST_RANGES: len(read.host_ranges.begin),
                    scope_file.CALLS: len(read.correlations[scope_file.CALLS]),
                    scope_file.COUNTERS: sum(len(rows) for rows in read.counters.values())}
        self.assertEqual((totals.rows, totals.dropped, totals.zero_timestamps), (expected, 1, 2))
        self.assertTrue(all(expected.values()))

    def test_correlations_of_the_stored_file(self):
        with open(os.path.join(DATA, "v1.txt")) as file:
            rows = [re.match(r"(call|op) .* correlation (\d+) ", line) for line in file]
        read = scope_file.read_file(os.path.join(DATA, "v1.sst"))
        for what, table in (("call", scope_file.CALLS), ("op", scope_file.DEVICE_OPS)):
            expected = sorted(int(row[2]) for row in rows if row and row[1] == what)
            self.assertEqual(sorted(read.correlations[table].tolist()), expected)
            self.assertTrue(any(expected))

    def test_counters_and_threads_of_the_stored_file(self):
        read = scope_file.read_file(os.path.join(DATA, "v1.sst"))
        self.assertEqual(len(read.host_threads), len(read.host_ranges.begin))
        with open(os.path.join(DATA, "v1.txt")) as file:
            rows = [re.match(r"counter (\S+) '(.*?)'.* (\S+)$", line) for line in file]
        expected = sorted((text_of(m[2]), int(m[1]), float(m[3])) for m in rows if m)
        self.assertEqual(sorted((t, at, v) for t, list_ in read.counters.items() for at, v in list_), expected)
        self.assertTrue(expected)

    def test_a_torn_file_gives_what_is_whole(self):
        with open(os.path.join(DATA, "v1.sst"), "rb") as file:
            data = file.read()
        whole = list(scope_file.chunks(data))
        self.assertEqual(list(scope_file.chunks(data[:-10])), whole[:-1])
        self.assertEqual(list(scope_file.chunks(data[:24] + b"\xf5SCK" + data[24:])), whole)


class Judgements(unittest.TestCase):
    def test_counts_and_durations(self):
        ours = device_ops.of_events([("k", 0, 100), ("k", 200, 300), ("Memset (Device)", 0, 10)])
        same = device_ops.of_events([("k", 0, 101), ("k", 5, 106), ("Memset (Device)", 0, 11)])
        self.assertEqual(device_ops.totals(ours), {"kernel": 2, "memcpy": 0, "memset": 1})
        self.assertEqual(device_ops.count_differences(ours, same), [])
        self.assertEqual([r["name"] for r in device_ops.duration_differences(ours, same, 0.02)], ["Memset (Device)"])
        self.assertEqual(device_ops.count_differences(ours, {}), [{"name": "Memset (Device)", "ours": 1, "theirs": 0},
                                                                  {"name": "k", "ours": 2, "theirs": 0}])

    def test_api_calls(self):
        names = ["window", "cudaLaunchKernel", "cudaMemGetInfo_v2", "cudaGetDevice"]
        ranges = [(0, 100, 0, 2), (10, 20, 1, 5), (30, 40, 2, 5), (95, 105, 1, 5), (50, 60, 1, 6)]
        ours = api_calls.of_recording(recording(calls=ranges, names=names))
        self.assertEqual(ours, {"cudaLaunchKernel": 1, "cudaMemGetInfo": 1})
        theirs = {"cudaLaunchKernel": 1, "cudaMemGetInfo": 1, "cudaGetDevice": 9, "cudaEventQuery": 3}
        count = collections.Counter
        self.assertEqual(api_calls.differences(ours, count(theirs)), [])
        twice = count(ours) + count({"cudaLaunchKernel": 1})
        self.assertEqual([r["name"] for r in api_calls.differences(twice, count(theirs))], ["cudaLaunchKernel"])
        self.assertEqual([r["name"] for r in api_calls.differences(count(), count(theirs))],
                         ["cudaLaunchKernel", "cudaMemGetInfo"])
        self.assertEqual(api_calls.recorded_noise(count({"cudaGetDevice": 1})), ["cudaGetDevice"])

    def test_calls_of_both_interfaces(self):
        count = collections.Counter
        made = {"cudaLaunchKernel": 3, "cudaLaunchKernelExC": 2, "cudaMemset": 1}
        good = count({"cuLaunchKernel": 3, "cuLaunchKernelEx": 2, "cudaMemset": 1, "cuLibraryLoadData": 1})
        self.assertEqual(runtime_calls.judge_standard(made, good), [])
        for wrong in (good + count({"cudaLaunchKernel": 1}), good - count({"cuLaunchKernel": 1}),
                      good + count({"cuMemsetD8": 1}), good + count({"cudaMemset": 1}), good + count({"cuGraphLaunch": 1})):
            self.assertEqual(len(runtime_calls.judge_standard(made, wrong)), 1)
        self.assertEqual(runtime_calls.judge_deep(made, count(made)), [])
        self.assertEqual(len(runtime_calls.judge_deep(made, good)), 2)

    def test_device_work_without_its_call(self):
        one = recording([(0, 1, 0, 0)] * 3, names=["k"])
        one.correlations = {scope_file.CALLS: numpy.array([5, 6]), scope_file.DEVICE_OPS: numpy.array([5, 5, 6])}
        self.assertEqual(runtime_calls.judge_device(one, 3), [])
        self.assertEqual(len(runtime_calls.judge_device(one, 2)), 1)
        one.correlations[scope_file.CALLS] = numpy.array([5, 5])
        self.assertEqual(len(runtime_calls.judge_device(one, 3)), 2)

    def test_hardware_counters(self):
        def phases(sm, tensor, read, samples=1000):
            named = {"sm_active_percent": sm, "tensor_active_percent": tensor, "dram_read_bytes_per_second": read}
            return named, samples, 1.0
        good = {"matmul": phases(99, 60, 0), "idle": phases(0, 0, 0), "copy": phases(90, 0, 2e12)}
        self.assertEqual(pm_sampling.judge(good, 2e12), [])
        for name, bad in (("matmul", phases(99, 0, 0)), ("idle", phases(50, 0, 0)), ("copy", phases(90, 0, 1e12)),
                          ("idle", phases(0, 0, 0, 100))):
            self.assertEqual(len(pm_sampling.judge({**good, name: bad}, 2e12)), 1)
        rows = {"gpu.0.sm_active_percent": [(5, 9.0), (10, 1.0), (11, 3.0), (20, 9.0)], "gpu.1.power_mw": [(11, 5.0)]}
        self.assertEqual(pm_sampling.medians(rows, 10, 20), ({"sm_active_percent": 2.0}, 2))

    def test_compilations(self):
        names = ["cuModuleLoadData", "JIT Compile (PTX to cubin)", "JIT Cache Store"]
        one = recording(calls=[(0, 100, 0, 6), (10, 90, 1, 7), (91, 92, 2, 7), (10, 90, 1, 7)], names=names)
        one.host_threads = numpy.array([1, 1, 1, 2])
        self.assertEqual(deep.compilations(one), [(names[1], True), (names[1], False)])

    def test_ops_of_a_window(self):
        one = recording([(10, 20, 0, 0), (30, 50, 0, 0)], names=["k"])
        self.assertEqual(device_ops.of_recordings([one]), {"k": (2, 15.0)})
        self.assertEqual(device_ops.of_recordings([one], 20, 40), {"k": (1, 20.0)})

    def test_ops_outside_steps(self):
        inside = chrome_trace.ChromeTrace([("k", 10, 20)], [(1, 0, 15), (2, 18, 40)])
        self.assertEqual(chrome_trace.outside_ns(inside), 5)

    def test_records_that_a_death_may_lose(self):
        times = [numpy.arange(0, 10**9, 10**8)]
        self.assertEqual(endings_checks.needed(times, True, 0.5), 10)
        self.assertEqual(endings_checks.needed(times, False, 0.45), 5)
        self.assertEqual(endings_checks.needed(times * 2, False, 0.45), 15)

    def test_ends_that_differ(self):
        def end(status, stdout="out\n", stderr=""):
            return support.Finished(status, stdout, stderr, 0)
        self.assertEqual(endings_checks.same_end(end(-15), end(143, stderr="stepscope: said\n"), False), [])
        for other in (end(0), end(143, "other\n"), end(143, stderr="error\n"), end(124)):
            self.assertNotEqual(endings_checks.same_end(end(-15), other, False), [])

    def test_launches_without_kernels(self):
        case = types.SimpleNamespace(family="torch", mode="return", orderly=True)
        calls = [(0, 1, 1, 5), (2, 3, 1, 5)]
        names = ["k", "cudaLaunchKernel"]
        self.assertEqual(endings_checks.unpaced(case, [recording([(0, 1, 0, 0)] * 2, calls, names)]), [])
        self.assertEqual(endings_checks.unpaced(case, [recording([(0, 1, 0, 0)], calls, names)]),
                         ["1 kernels of 2 launches"])

    def test_memory_that_grows(self):
        for last, expected in ((160, 60), (100, 0)):
            samples = [{"device_bytes": size} for size in [90, 100] + [100] * 17 + [last]]
            self.assertEqual(graph_soak.growth(samples, "device_bytes"), expected)

    def test_launch_soak_wants_every_record(self):
        options = types.SimpleNamespace(threads=3, in_step=1000, device_mib=64, resident_mib=256)
        samples = [{"device_bytes": 1, "resident_bytes": 1, "seconds": 1.0}] * 20
        expected = launch_soak.expected_ops(10, options)
        self.assertEqual(expected, 3 * (1 + 10 * 1125))
        for ops, dropped, trust, passed in ((expected, 0, None, True), (expected - 1, 0, None, False),
                                            (expected, 1, None, False), (expected, 0, BROKEN, False)):
            totals = scope_file.Totals({scope_file.DEVICE_OPS: ops}, dropped, 0)
            self.assertEqual(launch_soak.judge(samples, totals, expected, trust, options)["passed"], passed)

    def test_serialised_kernels_fail(self):
        options = types.SimpleNamespace(tolerance=0.02, slack_us=30)
        run, serial = ({"a_us": [2000.0], "b_us": [3000.0], "total_us": [total]} for total in (3010.0, 5010.0))
        trace = [{"least_us": 1.0, "duration_us": 5.0, "overlap_us": 5.0}]
        self.assertTrue(overlap.judge([run], [run], trace, options)["passed"])
        self.assertFalse(overlap.judge([run], [serial], trace, options)["passed"])
        self.assertFalse(overlap.judge([serial], [serial], trace, options)["passed"])
        for wrong in ({"least_us": -9.0}, {"duration_us": 90.0}, {"overlap_us": 90.0}):
            self.assertFalse(overlap.judge([run], [run], [trace[0] | wrong], options)["passed"])

    def test_intervals(self):
        found = intervals.mean_of_sets([1.04, 1.05, 1.06])
        self.assertAlmostEqual(found["ratio"], 1.05)
        self.assertAlmostEqual(found["high"], 1.05 + 4.303 * 0.01 / 3**0.5)
        self.assertEqual([intervals.verdict(found, target) for target in (1.08, 1.02, 1.06)], ["held", "missed", "not shown"])
        self.assertEqual(intervals.student_t(13), intervals.student_t(11))
        self.assertRaises(ValueError, intervals.mean_of_sets, [1.0])

    def test_costs_between_processes(self):
        def sets(**costs):
            return [{mode: [base * cost * drift for drift in (1.0, 1.1, 1.2)] for mode, cost in {"plain": 1, **costs}.items()}
                    for base in (7.0, 7.7, 9.0)]
        row = overhead.judged(sets(bare=1.10, standard=1.12, nsys=1.30))
        self.assertAlmostEqual(row["ratios"]["standard/bare"]["ratio"], 1.12 / 1.10)
        self.assertEqual(set(row["targets"].values()), {"held"})
        self.assertFalse(overhead.judged(sets(bare=1.0, standard=1.07))["passed"])
        self.assertFalse(overhead.judged(sets(bare=1.10, standard=1.12, nsys=1.20))["passed"])

    def test_ratio_of_stretches(self):
        slow_machine = [2.0 if i > 60 else 1.0 for i in range(121)]
        found = intervals.window_ratio([[bool(i % 2), base * (1.1 if i % 2 else 1.0)] for i, base in
                                        enumerate(slow_machine)])
        self.assertAlmostEqual(found["ratio"], 1.1)
        self.assertEqual((found["low"], found["windows"]), (found["ratio"], 60))
        self.assertRaises(ValueError, intervals.window_ratio, [[bool(i % 2), 1.0] for i in range(9)])

    def test_comparisons_with_rivals(self):
        def row(low, high):
            return {"ratio": (low + high) / 2, "low": low, "high": high}
        rows = {"standard": row(1.04, 1.06), "nsys": row(1.10, 1.12), "ops": row(1.2, 1.3),
                "torch.profiler": row(1.25, 1.4)}
        self.assertEqual(rivals.missed(rows), [])
        self.assertEqual(len(rivals.missed({**rows, "nsys": row(1.05, 1.07)})), 1)
        self.assertEqual(len(rivals.missed({**rows, "torch.profiler": row(1.1, 1.19)})), 1)

    def test_traces_that_break_a_promise(self):
        found = {"partition": {"wall_ns_total": 10, "parts": [{"ns_total": 4}, {"ns_total": 6}]}, "steps": {"count": 3},
                 "trust": {"unknown_share": 0.0, "broken_invariants": [], "dropped": 0, "zero_timestamps": 0}}
        self.assertEqual(starts.problems_of(found, 3), [])
        self.assertEqual(starts.problems_of(found, 4), ["3 steps"])
        found["partition"]["wall_ns_total"] = 11
        found["trust"].update(unknown_share=0.02, dropped=1)
        self.assertEqual(len(starts.problems_of(found, 3)), 3)



class Corrected(unittest.TestCase):
    def test_the_report_is_held_against_the_clock(self):
        report = {"partition": {"corrected_step_ns": 5_500_000, "wall_ns_total": 12_000_000, "steps_counted": 2}, "trust": {}}
        found = corrected.of_report(report, [4.0, 6.0])
        self.assertEqual((found["plain_ms"], found["corrected"], found["traced"], found["again"], found["left"]),
                         (5.0, 1.1, 1.2, 1.5, None))
        with self.assertRaisesRegex(ValueError, "corrects no step"):
            corrected.of_report({"partition": {}, "trust": {}}, [4.0, 6.0])

    def test_both_sides_of_the_margin_can_be_missed(self):
        for low, high, said in ((0.98, 1.02, "held"), (1.031, 1.05, "missed"), (0.90, 0.969, "missed"), (0.96, 1.04, "not shown")):
            self.assertEqual(corrected.verdict({"low": low, "high": high}), said)


if __name__ == "__main__":
    sys.exit(unittest.main())
