#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traces of the PyTorch profiler as other versions and other tools would have written them, made from a whole one.

  foreign_traces.py --stepscope BIN TRACE.json[.gz]...

  cut_times   times of PyTorch 1.13 and 2.0: begin and duration each cut to a whole microsecond
  cut_ends    begin and end cut to a whole microsecond
  late, early device times 2 ms off the host's, as the clocks of old profilers are
  range       only what begins in the middle 40 % of the trace, as a sampler keeps it
  no_host     what the device did alone: a report at all
  pairs       begins and ends ("ph": "B", "E") in place of complete events, in order of time
  list        the events without the document around them

Prints steps, the mean step and what has no explanation; exit 1 where that is over 1 % of the time, or where whole
microseconds move the mean step by 1 %. Then the kinds of damage.py and rewritten.py: never a wrong number without a word. --damage names some of them.
"""
import argparse
import collections
import gc
import gzip
import json
import marshal
import pathlib
import re
import subprocess
import sys
import tempfile

import damage
import rewritten

UNEXPLAINED = 0.01
SAME = 0.01


def cut_times(events):
    for event in events:
        for field in ("ts", "dur"):
            if field in event:
                event[field] = int(float(event[field]))
    return events


def cut_ends(events):
    for event in events:
        if "ts" in event:
            begin = float(event["ts"])
            if "dur" in event:
                event["dur"] = int(begin + float(event["dur"])) - int(begin)
            event["ts"] = int(begin)
    return events


def middle(events):
    timed = [event for event in events if event.get("ph") == "X"]
    first = min(float(event["ts"]) for event in timed)
    length = max(float(event["ts"]) + float(event.get("dur", 0)) for event in timed) - first
    inside = range(int(first + 0.3 * length), int(first + 0.7 * length))
    return [event for event in events if event.get("ph") == "M" or "ts" not in event or int(float(event["ts"])) in inside]


def off_clock(us):
    def change(events):
        for event in events:
            if event.get("cat") in DEVICE and "ts" in event:
                event["ts"] = float(event["ts"]) + us
        return events
    return change


def no_host(events):
    return [event for event in events if event.get("ph") == "M" or event.get("cat") in DEVICE]


def pairs(events):
    """Returns the events with each complete one as a pair of begin and end. The longest of several that begin together is the
    outermost; an event that ends where another begins has ended before it."""
    out = [event for event in events if event.get("ph") != "X"]
    threads = collections.defaultdict(list)
    for event in events:
        if event.get("ph") == "X":
            threads[event["pid"], event["tid"]].append(event)
    for of_thread in threads.values():
        still_open = []
        for event in sorted(of_thread, key=lambda event: (float(event["ts"]), -float(event["dur"]))) + [None]:
            now = float("inf") if event is None else float(event["ts"])
            for inner in sorted((e for e in still_open if end_of(e) <= now), key=end_of):
                out.append({"ph": "E", "ts": round(end_of(inner), 3)} | {key: inner[key] for key in ("pid", "tid", "name")})
                still_open.remove(inner)
            if event is not None:
                out.append({key: value for key, value in event.items() if key != "dur"} | {"ph": "B"})
                still_open.append(event)
    return out


def end_of(event):
    return float(event["ts"]) + float(event["dur"])


DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")
KINDS = {"as it is": lambda events: events, "cut_times": cut_times, "cut_ends": cut_ends, "late": off_clock(2000), "early": off_clock(-2000),
         "range": middle, "no_host": no_host, "pairs": pairs, "list": lambda events: events}
CUT = ("the trace is cut", "in the middle of the run")
WHOLE = ("cut_times", "cut_ends", "late", "early", "pairs", "list")


def read(path):
    with (gzip.open(path, "rt") if path.suffix == ".gz" else open(path)) as file:
        return json.load(file)


class Whole:
    """A trace that is changed again and again. It is parsed once, and of a changed one only those events are written that differ."""

    def __init__(self, path):
        document = read(path)
        self.packed = marshal.dumps(document)
        self.texts = {key_of(event): json.dumps(event) for event in document["traceEvents"]}

    def fresh(self):
        return marshal.loads(self.packed)

    def text_of(self, document):
        if not isinstance(document, dict) or not isinstance(document.get("traceEvents"), list):
            return json.dumps(document)
        return json.dumps(document | {"traceEvents": []}).replace('"traceEvents": []', f'"traceEvents": {self.list_of(document["traceEvents"])}', 1)

    def list_of(self, events):
        return "[" + ", ".join([self.texts.get(key_of(event)) or json.dumps(event) for event in events]) + "]"


def key_of(event):
    return marshal.dumps(event, 2)


DAMAGE = damage.KINDS | rewritten.KINDS


def run_report(stepscope, text, folder):
    path = pathlib.Path(folder) / "damaged.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape"))
    return subprocess.run([stepscope, "report", path, "--format", "json"], capture_output=True, text=True)


def words_of(report):
    """Sentences that tell a reader of doubts, without their numbers."""
    trust, steps = report["trust"], report["steps"]
    sentences = trust["notes"] + steps["notes"] + [steps["counting"]] + trust["over_budget"] + [row["id"] for row in report["abstained"]]
    if trust["zero_timestamps"]:
        sentences.append("device work without a timestamp")
    return {re.sub(r"[0-9.,]+", "#", sentence) for sentence in sentences if sentence}


def figures(report):
    partition = report["partition"]
    return partition["wall_ns_per_step"], partition["device_busy_ns_per_step"]


def judge(kind, done, whole):
    """Empty where all is well, and what is printed beside it."""
    if done.returncode == 4:
        cause = done.stderr.strip().splitlines()[-1].split("json: ", 1)[-1]
        return "" if kind != "same" and kind != "marks" else "refused", cause[:110]
    if done.returncode not in (0, 3):
        return f"exit {done.returncode}", done.stderr[-200:]
    report = json.loads(done.stdout)
    told = words_of(report) - words_of(whole)
    steps = f"{report['steps']['count']:>3} steps {figures(report)[0] / 1e6:9.3f} ms, busy {figures(report)[1] / 1e6:9.3f}"
    spread = max(SAME, whole["partition"]["p90_ns"] / whole["partition"]["p50_ns"] - 1) if kind == "marks" else SAME
    moved = any(abs(now - then) > spread * max(then, 1) for now, then in zip(figures(report), figures(whole)))
    no_claim = report["steps"]["found_by"] == "whole_trace"
    said = f"  {sorted(told)[0][:80]}" if told else "  no step time is claimed" if no_claim else ""
    if kind == "refused":
        return "not refused", steps + said
    if moved and (kind in ("same", "marks") or not (told or no_claim)):
        return "a wrong number" + ("" if told else " without a word"), steps + said
    return "", steps + said


def damaged(stepscope, trace, only, folder):
    failed = False
    original = Whole(trace)
    whole = json.loads(run_report(stepscope, original.text_of(original.fresh()), folder).stdout)
    for name, (kind, change) in DAMAGE.items():
        if only and name not in only:
            continue
        document = change(original.fresh())
        if document is None:
            continue
        done = run_report(stepscope, document if isinstance(document, (str, bytes)) else original.text_of(document), folder)
        wrong, shown = judge(kind, done, whole)
        failed = failed or bool(wrong)
        print(f"{trace.name:<34} {name:<24} {shown}{'  WRONG: ' + wrong if wrong else ''}", flush=True)
    return failed


def report_of(stepscope, text, folder):
    path = pathlib.Path(folder) / "trace.json"
    path.write_text(text)
    done = subprocess.run([stepscope, "report", path, "--format", "json"], capture_output=True, text=True)
    if done.returncode not in (0, 3):
        sys.exit(f"report: exit {done.returncode}: {done.stderr[-500:]}")
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stepscope", required=True)
    parser.add_argument("traces", nargs="+", type=pathlib.Path)
    parser.add_argument("--damage", nargs="+", choices=sorted(DAMAGE), help="these kinds of damage.py and rewritten.py alone")
    args = parser.parse_args()
    failed = False
    gc.disable()  # nothing here is in a cycle, and a search for one goes through all events
    with tempfile.TemporaryDirectory() as folder:
        for trace in args.traces:
            failed = damaged(args.stepscope, trace, args.damage, folder) or failed
            whole, original = None, Whole(trace)
            for kind, change in ({} if args.damage else KINDS).items():
                document = original.fresh()
                document["traceEvents"] = change(document["traceEvents"])
                text = original.list_of(document["traceEvents"]) if kind == "list" else original.text_of(document)
                report = report_of(args.stepscope, text, folder)
                partition = report["partition"]
                unexplained = sum(part["ns_total"] for part in partition["parts"] if part["cause"] in ("unknown", "host.other"))
                share = unexplained / partition["wall_ns_total"]
                mean = partition["wall_ns_per_step"]
                whole = whole or mean
                told = any(words in note for note in report["trust"]["notes"] for words in CUT)
                wrong = (share > UNEXPLAINED and kind != "no_host") or (kind in WHOLE and abs(mean / whole - 1) > SAME)
                failed = failed or wrong
                print(f"{trace.name:<34} {kind:<10} {report['steps']['count']:>3} steps {mean / 1e6:9.3f} ms {100 * share:6.2f} %"
                      f"{'  said to be cut' if told else ''}{'  WRONG' if wrong else ''}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
