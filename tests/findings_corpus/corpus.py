#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Precision and recall of every rule over programs whose costs are known, and whether each is at the right line.

usage: corpus.py FINDINGS_OF_CASES [--case NAME] [--keep FOLDER] [--random N [--seed S]]

Each case (cases.py) is executed on a machine model (machine.py), recorded, and judged by all rules. What a cost truly costs
is the mean step with it less the mean step without it, both executed: from `must` on a rule has to fire, below 1 % of the
step it must not. Between these, either is right. What is not planted must not be found at all. Fails where precision or
recall of a rule or of all falls below 0.95, lines below 0.95, the best-ranked finding is truly the best in less than
0.9 of the cases, or a decoy fires at high severity.
"""
import argparse
import collections
import dataclasses
import json
import pathlib
import subprocess
import sys
import tempfile
import zlib

import cases
from machine import Machine
from programs import LINES

LEAST = 0.01  # share of the step: what costs less must not be found
# From here on it must be: 1.3 times where the rule's page says that it fires.
MUST = collections.defaultdict(lambda: 0.03, input_starvation=0.065, launch_bound=0.13, periodic_phase=0.06, hotspot=0.12,
                               unfused_attention=0.065, precision=0.065, underfilled_gpu=0.2,
                               exposed_copy=0.04)
FLOOR, RANKED_FLOOR = 0.95, 0.9
RULE_OF = {"norms": "host_sync"}
MANY_TINY, TINY = 8, 48  # copies a step from which on tiny_h2d is about them, by its page; how many a loop makes
OF_THE_DEVICE = ("unfused_attention", "precision", "hotspot", "underfilled_gpu", "clock_change", "exposed_comm", "exposed_copy",
                 "periodic_phase")
SHORTEST_GAP = 0.3  # share of 3.5 ms: what is shorter than a millisecond is launch_bound's, by the rules' pages
ASSUMED = ("hotspot", "underfilled_gpu")  # their forecasts take half of the work away, the program all of it


def rule_of(cost, size):
    """Fewer tiny copies than tiny_h2d counts are pageable copies like others."""
    if cost == "tiny_h2d" and int(TINY * size.amount) < MANY_TINY:
        return "pageable_copy"
    return RULE_OF.get(cost, cost)


def execute(case, costs=None, captured=False, seed=None):
    machine = Machine(seed, captured)
    return case.program(machine, case.costs if costs is None else costs, case.size, case.costs).run()


@dataclasses.dataclass
class Truth:
    step: float
    gains: dict
    places: dict
    needed: dict  # as gains: what must be found from MUST on


def true_gains(case):
    """By rule: what of the step each planted cost is, and where."""
    step = execute(case).step_us()
    gains, places = {}, collections.defaultdict(set)
    of = {cost: rule_of(cost, case.size) for cost in case.costs}

    def gain_with(costs, size=None):
        changed = case if size is None else dataclasses.replace(case, size=dataclasses.replace(case.size, **size))
        return 1 - execute(changed, costs).step_us() / step

    for cost in case.costs:
        if gain_with([other for other in case.costs if other != cost]) >= LEAST:
            places[of[cost]].add(LINES[cost])
    for rule in set(of.values()):
        gains[rule] = gain_with([cost for cost in case.costs if of[cost] != rule])
    if "periodic_phase" in case.costs:  # it ends with a read, which is host_sync's
        gains["host_sync"] = gain_with([cost for cost in case.costs if of[cost] != "host_sync"] + ["eval_without_read"])
        read = gain_with([*case.costs, "eval_without_read"])
        if read >= LEAST:
            places["host_sync"].add(LINES["periodic_phase"])
    # What a graph would give here and without the other costs: a rule that names the cost alone is right, too.
    device = [cost for cost in case.costs if cost in OF_THE_DEVICE]
    gains["launch_bound"] = launch_us(case, case.costs) / step
    needed = dict(gains, launch_bound=min(launch_us(case, costs) for costs in (case.costs, (), device)) / step)
    if "periodic_phase" in case.costs:
        needed["periodic_phase"] = gains["periodic_phase"] - max(0, read)
    if case.size.amount < SHORTEST_GAP:
        needed["host_gap"] = 0
    # These rules are about what kernels take on the device; what launching them costs is launch_bound's.
    for rule in ASSUMED:
        if rule in case.costs:
            needed[rule] = gain_with([cost if cost != rule else f"{rule}_launches" for cost in case.costs])
    add_costs_of_the_loop(case, gains, places, gain_with)
    return Truth(step, gains, places, needed)


def add_costs_of_the_loop(case, gains, places, gain_with):
    """Every loop copies a batch and has element-wise kernels: to name these is right where half of them would be felt."""
    fewer_bytes = gain_with(case.costs, {"batch_mb": case.size.batch_mb / 2})
    if "pageable_copy" not in case.costs and fewer_bytes > gains.get("exposed_copy", 0):
        gains["exposed_copy"] = fewer_bytes
        places["exposed_copy"].add(LINES["exposed_copy"])
    shorter = gain_with(case.costs, {"small": case.size.small / 2})
    if shorter >= LEAST and "hotspot" not in case.costs:
        gains["hotspot"] = shorter
        places["hotspot"] |= {"", "model.py:41", "model.py:51"}


def launch_us(case, costs):
    return execute(case, costs).step_us() - execute(case, costs, captured=True).step_us()


def judge(stepscope, folder):
    done = subprocess.run([stepscope, folder], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{stepscope} ended with {done.returncode}: {done.stderr.strip()}")
    return {answer["case"]: answer for answer in map(json.loads, done.stdout.splitlines())}


@dataclasses.dataclass
class Score:
    right: int = 0
    false: list = dataclasses.field(default_factory=list)
    missed: list = dataclasses.field(default_factory=list)
    silent: int = 0  # rightly
    lines: int = 0
    wrong_lines: list = dataclasses.field(default_factory=list)
    loud_decoys: list = dataclasses.field(default_factory=list)

    def precision(self):
        return self.right / (self.right + len(self.false)) if self.right + len(self.false) else 1

    def recall(self):
        return self.right / (self.right + len(self.missed)) if self.right + len(self.missed) else 1

    def line_accuracy(self):
        return 1 - len(self.wrong_lines) / self.lines if self.lines else 1


def score_rule(score, case, rule, found, truth):
    gain, places = truth.gains.get(rule, 0), truth.places[rule]
    if found is None:
        if truth.needed.get(rule, 0) >= MUST[rule]:
            score.missed.append(f"{case.name} ({gain:.1%})")
        else:
            score.silent += 1
        return
    if gain < LEAST:
        score.false.append(f"{case.name} ({gain:.1%}, {found['severity']})")
        if found["severity"] == "high" and case.role == "decoy":
            score.loud_decoys.append(case.name)
        return
    score.right += 1
    if places:
        score.lines += 1
        if found["place"] not in places:
            score.wrong_lines.append(f"{case.name}: {found['place']}")


def first_of_each(findings):
    out = {}
    for finding in findings:
        out.setdefault(finding["id"], finding)
    return out


def check_contract(answer):
    """Each rule is found, gives nothing, is cleared or abstains, and each finding points to events."""
    said = {one["id"] for kind in ("found", "no_gain", "cleared", "abstained") for one in answer[kind]}
    said -= {"core_contention", "page_faults"}  # neither run queues nor page faults are in these traces
    expected = set(LINES) - set(RULE_OF)
    if expected - said:
        sys.exit(f"{answer['case']}: nothing is said of {', '.join(sorted(expected - said))}")
    if said - expected:
        sys.exit(f"{answer['case']}: no program has the cost of {', '.join(sorted(said - expected))}: add it to LINES and "
                 "to a loop in programs.py, and to cases.py")
    without = [finding["id"] for finding in answer["found"] if not finding["evidence"]]
    if without:
        sys.exit(f"{answer['case']}: no evidence for {', '.join(without)}")


def best_is_first(findings, truth):
    gains = truth.gains
    known = [finding for finding in findings if finding["id"] in gains]
    if not known:
        return None
    best = max(gains[rule] for rule in gains if rule in truth.needed or rule in [finding["id"] for finding in known])
    return gains[known[0]["id"]] >= 0.9 * best


def total(scores):
    out = Score()
    for score in scores.values():
        out.right, out.silent, out.lines = out.right + score.right, out.silent + score.silent, out.lines + score.lines
        for name in ("false", "missed", "wrong_lines", "loud_decoys"):
            getattr(out, name).extend(getattr(score, name))
    return out


def row(name, score):
    return (f"| {name} | {score.right} | {len(score.missed)} | {len(score.false)} | {score.silent} | {score.precision():.2f} | "
            f"{score.recall():.2f} | {score.lines - len(score.wrong_lines)} of {score.lines} |")


def forecast_errors(case, step, answer, gains):
    """Yields how far each forecast is off the true step, for findings whose cost was executed away."""
    for finding in answer["found"]:
        if finding["forecast_us"] is None or gains.get(finding["id"], 0) < LEAST or finding["id"] in ASSUMED:
            continue
        if finding["id"] == "launch_bound" and case.costs:
            continue  # what a graph gives depends on which other costs stay
        truth = step * (1 - gains[finding["id"]])
        low, high = finding["low_us"], finding["high_us"]
        yield case.name, finding["id"], finding["forecast_us"], truth, low <= truth <= high


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("judge", help="the program findings_of_cases")
    parser.add_argument("--case", action="append", help="judge these alone, and print what was found")
    parser.add_argument("--keep", type=pathlib.Path, help="write the cases' records here")
    parser.add_argument("--random", type=int, metavar="N", help="judge N random loops instead")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    known = cases.random_cases(options.random, options.seed) if options.random else cases.all_cases()
    chosen = [case for case in known if not options.case or case.name in options.case]
    scores = {rule: Score() for rule in LINES if rule not in RULE_OF}
    truths, ranked, forecasts = {}, [], []
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or pathlib.Path(scratch)
        folder.mkdir(exist_ok=True)
        for case in chosen:
            truths[case.name] = true_gains(case)
            (folder / f"{case.name}.case").write_text(execute(case, seed=zlib.crc32(case.name.encode())).text())
        answers = judge(options.judge, folder)
    for case in chosen:
        truth = truths[case.name]
        answer = answers[case.name]
        check_contract(answer)
        found = first_of_each(answer["found"])
        for rule, score in scores.items():
            score_rule(score, case, rule, found.get(rule), truth)
        first = best_is_first(answer["found"], truth)
        if first is not None:
            ranked.append((case.name, first))
        forecasts.extend(forecast_errors(case, truth.step, answer, truth.gains))
        if options.case:
            print(case.name, f"step {truth.step:.0f} us, recorded {answer['step_us']:.0f};", {k: f"{v:.1%}" for k, v in truth.gains.items()})
            for finding in answer["found"]:
                print("   found", finding)
            for kind in ("no_gain", "cleared", "abstained"):
                for one in answer[kind]:
                    print("   ", kind, one["id"], one.get("reason") or one["title"])
    conclude(options, chosen, scores, ranked, forecasts)


def conclude(options, chosen, scores, ranked, forecasts):
    print("| rule | found | missed | false | rightly silent | precision | recall | right line |")
    print("|---|---|---|---|---|---|---|---|")
    for rule, score in scores.items():
        print(row(f"`{rule}`", score))
    everything = total(scores)
    print(row(f"all {len(chosen)} cases", everything))
    for name in ("missed", "false", "wrong_lines", "loud_decoys"):
        for rule, score in scores.items():
            if getattr(score, name):
                print(f"{name.replace('_', ' ')}: {rule}: {', '.join(getattr(score, name))}")
    wrong_order = [name for name, first in ranked if not first]
    rank = 1 - len(wrong_order) / max(1, len(ranked))
    print(f"\nthe best-ranked finding is truly the best in {len(ranked) - len(wrong_order)} of {len(ranked)}"
          + (f"; not in {', '.join(wrong_order)}" if wrong_order else ""))
    errors = sorted(abs(forecast / truth - 1) for _, _, forecast, truth, _ in forecasts)
    if errors:
        held = sum(holds for *_, holds in forecasts)
        print(f"{len(errors)} forecasts: error median {errors[len(errors) // 2]:.1%}, ninetieth {errors[int(0.9 * (len(errors) - 1))]:.1%}, "
              f"largest {errors[-1]:.1%}; the interval held {held} of {len(errors)}")
        for name, rule, forecast, truth, holds in forecasts:
            if abs(forecast / truth - 1) > 0.05 or not holds:
                print(f"   {name} {rule}: forecast {forecast:.0f}, truth {truth:.0f}{'' if holds else ', not held'}")
    if options.case:
        return
    bad = [rule for rule, score in scores.items() if min(score.precision(), score.recall()) < FLOOR]
    if bad or everything.line_accuracy() < FLOOR or rank < RANKED_FLOOR or everything.loud_decoys:
        sys.exit(f"below the floor: {', '.join(bad) or 'lines, ranks or decoys'}")


if __name__ == "__main__":
    main()
