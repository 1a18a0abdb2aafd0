// SPDX-License-Identifier: Apache-2.0
// launch_bound on a run without a device: Python and the framework take long from one operation to the
// next.
//
//   fires where   Python and the framework between operations (stretches below kLongestWayNs) >= 10 %
//                 of the step, and either >= 50 operations a step or a way of <= 50 us from one to
//                 the next. A longer way between few operations is no overhead of theirs, but what
//                 the program does
//   repeats       a pass that a step repeats (repeated_pass.hpp) is forecast as one pass over all: a
//                 tenth longer for each further one, none to all of its time. The finding then stands
//                 where the pass is
#include "core/findings/rules/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include "core/findings/advice/advice.hpp"
#include "core/findings/host_time.hpp"
#include "core/findings/repeated_pass.hpp"
#include "core/findings/wait_lines.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr const char* kLaunchBound = "launch_bound";
constexpr double kLeastOverhead = 0.10;
// A compiled step takes as long on its way (guards, and into its two graphs) as some operations do.
// Measured on a step of 11, which became slower.
constexpr double kCompiledAsOperations = 12, kCompiledAsFewest = 4, kCompiledAsMost = 20;
constexpr double kSavedByCompiling = 0.7;
constexpr double kLittle = 0.02;
constexpr double kLongerForEachPass =
    0.1;  // share of a pass by which one over all grows: an assumption
constexpr double kManyOperations = 50;         // a step
constexpr double kLongestOverheadNs = 50'000;  // from one operation to the next

using Line = std::pair<std::string_view, std::uint32_t>;  // file, number

struct OperationCount {
  std::uint64_t count = 0;
  std::int64_t median_ns = 0;
  struct AtLine {
    std::uint64_t reads = 0, others = 0;
  };
  std::map<Line, AtLine> by_line;  // operations that only read a value, and the rest
};

bool reads_a_value(std::string_view operation) {
  return operation == "aten::item" || operation == "aten::_local_scalar_dense" ||
         operation == "aten::is_nonzero";
}

// The outermost operations of the loop's thread that began in counted steps.
OperationCount count_outermost(const JudgedRun& run) {
  const HostRanges& h = run.trace.host_ranges();
  std::vector<std::int64_t> lengths;
  OperationCount out;
  std::int64_t until = 0;
  const Rows rows = run.trace.ranges_of(run.steps.thread);
  for (RangeId r = rows.begin; r < rows.end; ++r) {
    if (h.kind[r] != HostKind::op || h.begin[r] < until || !run.counts(h.begin[r])) continue;
    lengths.push_back(h.end[r] - h.begin[r]);
    until = h.end[r];
    if (run.sites[r] == kNone) continue;
    const Site& site = run.trace.data().sites[run.sites[r]];
    auto& [reads, others] = out.by_line[{run.trace.text(site.file), site.line}];
    ++(reads_a_value(run.trace.text(h.name[r])) ? reads : others);
  }
  if (lengths.empty()) return out;
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  out.count = lengths.size();
  out.median_ns = *middle;
  return out;
}

// Most of the time is at a line that hardly does more than to read values out of tensors: what it does
// with them (it prints, logs or compares) is the program's own, and no compiler joins it.
bool is_of_values(const Finding& finding, const OperationCount& operations) {
  if (finding.places.empty()) return false;
  const FindingPlace& most = finding.places.front();
  double caused = 0;  // a comprehension of the line is a function of its own
  for (const FindingPlace& place : finding.places)
    if (place.file == most.file && place.line == most.line) caused += place.caused_ns_per_step;
  if (2 * caused < finding.caused_ns_per_step) return false;
  const auto line = operations.by_line.find({most.file, most.line});
  return line == operations.by_line.end() || line->second.others <= line->second.reads;
}

bool has_range(const JudgedRun& run, std::string_view part) {
  const std::vector<StringId>& names = run.trace.host_ranges().name;
  std::unordered_set<StringId> seen;
  StringId last = kNone;
  return std::any_of(names.begin(), names.end(), [&](StringId name) {
    if (std::exchange(last, name) == name || !seen.insert(name).second) return false;
    return run.trace.text(name).find(part) != std::string_view::npos;
  });
}

bool compiles_to_no_less(const JudgedRun& run, double operations) {
  return run.language == Language::python &&
         operations * kSavedByCompiling <= kCompiledAsOperations;
}

// Says why torch.compile would not help; empty where it may.
std::string_view why_no_compiler(const JudgedRun& run, double operations) {
  if (has_range(run, "BackwardBackward") || has_range(run, "DoubleBackward"))
    return "torch.compile does not support the second derivatives that this program takes";
  if (has_range(run, "CompiledFunction") || has_range(run, "Torch-Compiled Region"))
    return "what is compiled already stays";
  if (compiles_to_no_less(run, operations))
    return "a call of a compiled step takes about as long as so few operations do";
  return "";
}

// Time of one cause: on the way between operations, and in all.
struct CauseTime {
  std::int64_t between = 0, all = 0;
};

// Returns the host's causes that hold more than a little of the time at these lines.
std::vector<Cause> causes_at(const JudgedRun& run, const std::vector<SiteId>& sites) {
  std::map<Cause, std::int64_t> times;
  std::int64_t all = 0;
  for (const Segment& s : run.segments()) {
    if (!std::ranges::binary_search(sites, s.site) || !run.counts(s.time.begin)) continue;
    if (!is_host(s.cause) || s.cause == Cause::host_core_wait) continue;
    times[s.cause] += s.time.length();
    all += s.time.length();
  }
  std::vector<Cause> out;
  for (const auto& [cause, ns] : times)
    if (static_cast<double>(ns) > kLittle * static_cast<double>(all)) out.push_back(cause);
  return out;
}

// Puts the finding where the repeated pass is, and not where most of the time between operations is.
void place_at(const JudgedRun& run, const RepeatedPass& pass, Finding& out) {
  Price at(run);
  for (const Segment& s : run.segments())
    if (is_host(s.cause) && s.direction != Direction::backward && run.counts(s.time.begin) &&
        std::ranges::binary_search(pass.sites, s.site))
      at.add(s, s.time.length());
  const Finding placed = at.finding(run.per_step(at.total()));
  if (placed.places.empty()) return;
  out.places = placed.places;
  out.evidence = placed.evidence;
  out.phase = placed.phase;
}

// Says that one pass in place of many would do, where none needs what one before it made.
void say_repeats(const JudgedRun& run, const RepeatedPass& pass, Finding& out) {
  place_at(run, pass, out);
  const auto times = static_cast<double>(pass.times);
  out.title += fmt::format(
      "; {} times a step the same {} operation{} run{}{}: the forecast is of one pass in their "
      "place, possible where none needs what another made",
      pass.times, pass.operations, pass.operations == 1 ? "" : "s", pass.operations == 1 ? "s" : "",
      pass.has_weights ? " with the same weights" : "");
  out.fixes.clear();
  for (const Cause cause : causes_at(run, pass.sites)) {
    const auto factor = [&](double left) { return 1 - pass.part * (1 - left); };
    Fix one_pass{.kind = FixKind::scale_work,
                 .factor = factor((1 + kLongerForEachPass * (times - 1)) / times),
                 .factor_low = factor(1 / times),
                 .factor_high = 1};
    one_pass.scope.sites = pass.sites;
    one_pass.scope.cause = cause;
    one_pass.finding = kLaunchBound;
    out.fixes.push_back(one_pass);
  }
  advise(pass.has_weights ? Advice::launch_bound_of_repeats : Advice::repeated_launches,
         run.language, out);
  out.falsified_by = "with all of these passes made as one the step does not become shorter";
  out.certainty = Certainty::assumption;
}

Finding overhead_finding(const JudgedRun& run, const Price& price, const OperationCount& operations,
                         const std::map<Cause, CauseTime>& causes) {
  const double time = run.idle_per_step(price.total());
  Finding out = price.finding(time);
  out.count_per_step = run.count_per_step(operations.count);
  out.title = fmt::format(
      "{:.0f} operations a step, half of them shorter than {}: for {} a step ({}) {} and the "
      "framework are on the way from one to the next",
      out.count_per_step, format_duration(static_cast<double>(operations.median_ns)),
      format_duration(time), percent(run.share(time)),
      run.language == Language::cpp ? "the program" : "Python");
  for (const auto& [cause, ns] : causes) {
    // A larger batch is the fix for few operations: no step becomes shorter by it.
    if (ns.between == 0 || compiles_to_no_less(run, out.count_per_step)) continue;
    // Longer stretches of the same cause stay as they are.
    const double part = static_cast<double>(ns.between) / static_cast<double>(ns.all);
    const auto factor = [&](double saved, double operations_more) {
      const bool compiles = run.language == Language::python;
      const double cost = compiles ? operations_more / out.count_per_step : 0;
      return 1 - std::max(0.0, saved - cost) * part;
    };
    Fix fewer{.kind = FixKind::scale_work,
              .factor = factor(kSavedByCompiling, kCompiledAsOperations),
              .factor_low = factor(0.9, kCompiledAsFewest),
              .factor_high = factor(0.2, kCompiledAsMost)};
    fewer.scope.cause = cause;
    fewer.finding = kLaunchBound;
    out.fixes.push_back(fewer);
  }
  const bool of_values = is_of_values(out, operations);
  if (const auto pass = find_repeated_pass(run); pass && !of_values) {
    say_repeats(run, *pass, out);
    return out;
  }
  const std::string_view no_compiler = why_no_compiler(run, out.count_per_step);
  advise(of_values             ? Advice::values_read_without_device
         : no_compiler.empty() ? Advice::launch_bound_without_device
                               : Advice::launch_bound_without_compiler,
         run.language, out);
  if (of_values)
    out.title += "; most of it at a line that hardly does more than to read values out of tensors";
  else if (!no_compiler.empty())
    out.title += fmt::format("; {}", no_compiler);
  const char* try_it =
      of_values ? "without what that line does with its values it is not"
      : no_compiler.empty()
          ? "with twice the batch the step takes twice as long, or compiled it is not"
          : "with twice the batch the step takes twice as long: it is not";
  out.falsified_by = fmt::format("{} shorter by up to {}", try_it, format_duration(time));
  out.certainty = Certainty::assumption;
  return out;
}

}  // namespace

Judgement judge_launch_overhead(const JudgedRun& run) {
  Price price(run);
  std::map<Cause, CauseTime> causes;
  const OwnStretches own(run);
  for (std::size_t i = 0; i < run.segments().size(); ++i) {
    const Segment& s = run.segments()[i];
    if (!is_between_operations(s.cause) || !run.counts(s.time.begin)) continue;
    causes[s.cause].all += s.time.length();
    if (own.holds(s)) continue;
    const std::int64_t ns = run.unexplained_ns(i);
    if (ns <= 0) continue;
    price.add(s, ns);
    causes[s.cause].between += ns;
  }
  const OperationCount operations = count_outermost(run);
  const double time = run.idle_per_step(price.total());
  const double count = run.count_per_step(operations.count);
  const bool is_overhead = count >= kManyOperations || time <= kLongestOverheadNs * count;
  if (run.weight(time) < kLeastOverhead || !is_overhead || time < run.least_ns())
    return cleared(fmt::format("{:.0f} operations a step, with {} ({}) on the way between them",
                               count, format_duration(time), percent(run.share(time))));
  return fired(overhead_finding(run, price, operations, causes));
}

}  // namespace stepscope::rules
