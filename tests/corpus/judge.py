# SPDX-License-Identifier: Apache-2.0
"""Checks of a report of a corpus program against its own clock and the marks in its source. No GPU, no files.

A mark `# planted: CAUSE` names the line of a planted cost: it must be among the three lines with most time, and CAUSE a
prefix of one of its causes that hold a third of it; `# planted on a GPU: CAUSE` counts there alone. A word that is no
cause ("optimizer", "host_sync") asks for the line alone.
"""
import re
from collections import Counter, defaultdict

HEADLINE = 0.01  # share of the own clock, over the same steps
HEADLINE_OF_SAMPLES = 0.05  # where samples alone tell when a step begins
UNEXPLAINED = 0.01    # unknown and host.other, of the wall time
LINES_EACH = 0.90  # share of the wall time that has a line
LINES_MEDIAN = 0.95
FEWEST_COUNTED = 0.5  # share of all steps: warm-up may not eat more
CAUSES = ("host", "gpu", "copy", "comm")


def process_cells(report):
    return [cell for cell in report["cells"] if cell.get("device") is None]


def wall(report):
    return report["partition"]["wall_ns_total"]


def share_with_line(report):
    with_line = sum(cell["ns_total"] for cell in process_cells(report) if cell.get("file"))
    return with_line / wall(report) if wall(report) else 0.0


def unexplained(report):
    rest = sum(cell["ns_total"] for cell in process_cells(report) if cell["cause"] in ("unknown", "host.other"))
    return rest / wall(report) if wall(report) else 1.0


def lines(report):
    """(file's name, line) -> Counter of causes, largest first."""
    by_line = defaultdict(Counter)
    for cell in process_cells(report):
        if cell.get("file"):
            by_line[cell["file"].rsplit("/", 1)[-1], cell["line"]][cell["cause"]] += cell["ns_total"]
    return sorted(by_line.items(), key=lambda row: -sum(row[1].values()))


def planted_lines(source, device):
    mark = re.compile(r"# planted(?P<gpu> on a GPU)?: (?P<cause>\S+)")
    for number, text in enumerate(source.splitlines(), 1):
        found = mark.search(text)
        if found and (device == "cuda" or not found["gpu"]):
            yield number, found["cause"]


def names_line(report, name, number, cause):
    for (file, line), causes in lines(report)[:3]:
        if (file, line) != (name, number):
            continue
        if cause.split(".")[0] not in CAUSES:
            return True
        total = sum(causes.values())
        return any(one.startswith(cause) and ns * 3 >= total for one, ns in causes.items())
    return False


def is_sampled_alone(report):
    """A Python program that calls nothing that is recorded: it may have no step (a `while` does not count), but its lines."""
    return any("all that is known of it are samples" in note for note in report.get("trust", {}).get("notes", []))


def headline_error(report, own):
    """Returns the error of the reported mean step against the own clock's over the same steps; None where they cannot be paired."""
    listed = report["steps"]["list"]
    begins = own["begins_ns"]
    if len(listed) != own["steps"]:
        return None
    counted = [row for row, step in enumerate(listed) if step["steady"]]
    if not counted:
        return None
    own_mean = sum(begins[row + 1] - begins[row] for row in counted) / len(counted)
    return report["partition"]["wall_ns_per_step"] / own_mean - 1


def ran_before_samples(report):
    """Iterations of a counted loop that were over before the recording began, as the report says itself."""
    told = re.search(r"\((\d+) ran before the first sample\)", report["steps"].get("how", ""))
    return int(told[1]) if told else 0


def judge(report, own, name, source, device, busy=False):
    """Sentences of what does not hold. On busy cores the sampler is woken late: what only it tells is not held."""
    if own.get("no_steps"):
        return [] if wall(report) > 0 else ["a program without steps has no partition"]
    if is_sampled_alone(report) and report["steps"]["count"] == 1:
        return [f"line {number} ({cause}) not among the first three" for number, cause in planted_lines(source, device)
                if not busy and not names_line(report, name, number, cause)]
    wrong = []
    count = report["steps"]["count"]
    seen = own["steps"] - ran_before_samples(report)
    wanted = {seen, seen * own.get("inner", 1)}
    if count not in wanted:
        wrong.append(f"{count} steps in place of {own['steps']}")
    error = headline_error(report, own)
    if error is not None and abs(error) > (HEADLINE_OF_SAMPLES if is_sampled_alone(report) else HEADLINE):
        wrong.append(f"headline {100 * error:+.1f} % off the own clock")
    if report["partition"]["steps_counted"] < FEWEST_COUNTED * min(count, own["steps"]):
        wrong.append(f"only {report['partition']['steps_counted']} of {count} steps counted")
    if busy:
        return wrong
    if unexplained(report) > UNEXPLAINED:
        wrong.append(f"{100 * unexplained(report):.1f} % unexplained")
    if share_with_line(report) < LINES_EACH:
        wrong.append(f"{100 * share_with_line(report):.0f} % with a line")
    for number, cause in planted_lines(source, device):
        if not names_line(report, name, number, cause):
            wrong.append(f"line {number} ({cause}) not among the first three")
    return wrong
