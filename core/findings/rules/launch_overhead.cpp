// SPDX-License-Identifier: Apache-2.0
// launch_bound on a run without a device: Python and the framework take long from one operation to the
// next. The optimizer's operations are unfused_optimizer's.
//
//   fires where   Python and the framework between operations (stretches below kLongestWayNs) >= 10 %
//                 of the step, and either >= 50 operations a step or a way of <= 50 us from one to
//                 the next. A longer way between few operations is no overhead of theirs, but what
//                 the program does
//   repeats       a pass that a step repeats (repeated_pass.hpp) is forecast as one pass over all: a
//                 tenth longer for each further one, none to all of its time. The finding then stands
//                 where the pass is
//   compiles      torch.compile joins chains of element-wise and reducing operations. It is forecast
//                 and advised where 6.5 times as many of these as of products run at the lines that a
//                 backward pass goes through: 0.7 of the way
//                 between operations goes, and half of what those compute. With fewer, programs became
//                 7 % shorter to 64 % longer (docs/measurements/forecasts.md)
//   no compiler   no forecast: fewer operations give the way between them and what each takes whatever its
//                 size (20 us) at most
//   values        lines that hardly do more than to read values: values_read.cpp
#include "core/findings/rules/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/findings/advice/advice.hpp"
#include "core/findings/host_operations.hpp"
#include "core/findings/host_time.hpp"
#include "core/findings/repeated_pass.hpp"
#include "core/findings/wait_lines.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr const char* kLaunchBound = "launch_bound";
constexpr double kLeastOverhead = 0.10;
constexpr double kJoinedTakes = 0.5, kJoinedTakesLow = 0.3, kJoinedTakesHigh = 0.95;
constexpr double kLittle = 0.02;
// Larger micro-batches make products no faster: only what lies between operations.
constexpr double kLeastOfMicroBatches = 0.25;
constexpr double kLongerForEachPass =
    0.1;  // share of a pass by which one over all grows: an assumption
constexpr double kManyOperations = 50;         // a step
constexpr double kLongestOverheadNs = 50'000;  // from one operation to the next

// Time of one cause: on the way between operations, and in all.
struct CauseTime {
  std::int64_t between = 0, all = 0;
};

struct CauseAt {
  Cause cause = Cause::unknown;
  double shrinks = 1;  // share of its time that one pass for all spends once
};

// Returns the host's causes that hold more than a little of the time at these lines. An operation
// takes some time however small its tensors are; the rest grows with them.
std::vector<CauseAt> causes_at(const JudgedRun& run, const std::vector<SiteId>& sites) {
  std::map<Cause, std::map<RangeId, std::int64_t>> times;
  std::int64_t all = 0;
  for (const Segment& s : run.segments()) {
    if (!std::ranges::binary_search(sites, s.site) || !run.counts(s.time.begin)) continue;
    if (!is_host(s.cause) || s.cause == Cause::host_core_wait) continue;
    times[s.cause][s.host_evidence] += s.time.length();
    all += s.time.length();
  }
  std::vector<CauseAt> out;
  for (const auto& [cause, by_range] : times) {
    std::int64_t sum = 0, fixed = 0;
    for (const auto& [range, ns] : by_range) {
      sum += ns;
      fixed += std::min(ns, OperationCount::kFixedNs);
    }
    if (static_cast<double>(sum) <= kLittle * static_cast<double>(all)) continue;
    const bool computes = family_of(cause) == CauseFamily::host_compute;
    out.push_back({cause, computes ? static_cast<double>(fixed) / static_cast<double>(sum) : 1});
  }
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
  const auto times = static_cast<double>(pass.in_a_row);  // one pass in place of these
  out.title += fmt::format(
      "; {} times a step the same {} operation{} run{}{}: the forecast is of one pass in their "
      "place, possible where {}",
      pass.times, pass.operations, pass.operations == 1 ? "" : "s", pass.operations == 1 ? "s" : "",
      pass.is_micro_batch ? ", each with a backward pass"
      : pass.has_weights  ? " with the same weights"
                          : "",
      pass.is_micro_batch ? "memory allows" : "none needs what another made");
  out.fixes.clear();
  for (const auto& [cause, shrinks] : causes_at(run, pass.sites)) {
    const auto factor = [&, share = shrinks](double left) {
      return 1 - pass.part * share * (1 - left);
    };
    Fix one_pass{.kind = FixKind::scale_work,
                 .factor = factor((1 + kLongerForEachPass * (times - 1)) / times),
                 .factor_low = 1 - pass.part * (1 - 1 / times),
                 .factor_high = 1};
    one_pass.scope.sites = pass.sites;
    one_pass.scope.cause = cause;
    one_pass.finding = kLaunchBound;
    out.fixes.push_back(one_pass);
  }
  advise(pass.is_micro_batch ? Advice::launch_bound_of_micro_batches
         : pass.has_weights  ? Advice::launch_bound_of_repeats
                             : Advice::repeated_launches,
         run.language, out);
  put_number("{times}", static_cast<std::uint32_t>(pass.times), out.code_hint);
  out.falsified_by = "with all of these passes made as one the step does not become shorter";
  out.certainty = Certainty::assumption;
}

// Holds the time between operations, without that of the optimizer and of lines of values.
struct Overhead {
  explicit Overhead(const JudgedRun& run) : price(run) {}
  Price price;
  std::map<Cause, CauseTime> causes;
};

Overhead overhead_of(const JudgedRun& run, const OperationCount& operations) {
  Overhead out(run);
  const OwnStretches own(run);
  for (std::size_t i = 0; i < run.segments().size(); ++i) {
    const Segment& s = run.segments()[i];
    if (!is_between_operations(s.cause) || !run.counts(s.time.begin)) continue;
    out.causes[s.cause].all += s.time.length();
    if (run.optimizer_phases[s.phase] || own.holds(s)) continue;
    if (s.site != kNone && operations.is_of_values(line_of(run, s.site))) continue;
    const std::int64_t ns = run.unexplained_ns(i);
    if (ns <= 0) continue;
    out.price.add(s, ns);
    out.causes[s.cause].between += ns;
  }
  return out;
}

// Longer stretches of the same cause stay as they are.
std::vector<Fix> fewer_operations(const JudgedRun& run, const Overhead& overhead, double count) {
  std::vector<Fix> out;
  for (const auto& [cause, ns] : overhead.causes) {
    if (ns.between == 0) continue;
    const double part = static_cast<double>(ns.between) / static_cast<double>(ns.all);
    const auto factor = [&](double saved, double operations_more) {
      const double cost = run.language == Language::python ? operations_more / count : 0;
      return 1 - std::max(0.0, saved - cost) * part;
    };
    Fix fewer{.kind = FixKind::scale_work,
              .factor = factor(kSavedByCompiling, kCompiledAsOperations),
              .factor_low = factor(0.9, kCompiledAsFewest),
              .factor_high = factor(0.2, kCompiledAsMost)};
    fewer.scope.cause = cause;
    fewer.finding = kLaunchBound;
    out.push_back(fewer);
  }
  return out;
}

std::string overhead_title(const JudgedRun& run, const OperationCount& operations, double time) {
  return fmt::format(
      "{:.0f} operations a step, half of them shorter than {}: for {} a step ({}) {} and the "
      "framework are on the way from one to the next",
      run.count_per_step(operations.count),
      format_duration(static_cast<double>(operations.median_ns)), format_duration(time),
      percent(run.share(time)), run.language == Language::cpp ? "the program" : "Python");
}

// What is joined computes in half of its time.
void join_chains(const JudgedRun& run, Overhead overhead, double count, Judgement& out) {
  Finding& finding = out.found.back();
  const std::vector<bool> sites = compiled_sites(run);
  std::map<Cause, std::int64_t> joined;
  for (std::size_t i = 0; i < run.segments().size(); ++i) {
    const Segment& s = run.segments()[i];
    if (!is_joined(s.cause) || !is_compiled(run, sites, s)) continue;
    const auto goes =
        static_cast<std::int64_t>((1 - kJoinedTakes) * static_cast<double>(run.unexplained_ns(i)));
    overhead.price.add(s, goes);
    joined[s.cause] += goes;
    out.explained.emplace_back(i, goes);
  }
  const Finding all = overhead.price.finding(run.idle_per_step(overhead.price.total()));
  finding.caused_ns_per_step = all.caused_ns_per_step;
  finding.ceiling_ns_per_step = all.ceiling_ns_per_step;
  finding.fixes = fewer_operations(run, overhead, count);
  for (const auto& [cause, ns] : joined) {
    if (run.weight(run.per_step(ns)) < kLittle) continue;
    Fix fused{.kind = FixKind::scale_work,
              .factor = kJoinedTakes,
              .factor_low = kJoinedTakesLow,
              .factor_high = kJoinedTakesHigh};
    for (SiteId site = 0; site < sites.size(); ++site)
      if (sites[site]) fused.scope.sites.push_back(site);
    fused.scope.cause = cause;
    fused.finding = kLaunchBound;
    finding.fixes.push_back(fused);
  }
}

void add_overhead(const JudgedRun& run, const Overhead& overhead, const OperationCount& operations,
                  Judgement& out) {
  const double time = run.idle_per_step(overhead.price.total());
  const double count = run.count_per_step(operations.count);
  Finding& finding = out.found.emplace_back(overhead.price.finding(time));
  finding.count_per_step = count;
  finding.title = overhead_title(run, operations, time);
  finding.certainty = Certainty::assumption;
  const auto pass = find_repeated_pass(run);
  if (pass && !pass->may_be_layers &&
      (!pass->is_micro_batch || run.weight(time) >= kLeastOfMicroBatches))
    return say_repeats(run, *pass, finding);
  std::string_view no_compiler = why_no_compiler(run, operations);
  if (no_compiler.empty() && pass && pass->may_be_layers)
    no_compiler = "the same pass runs many times, for each of which torch.compile may be called";
  const bool is_cpp = run.language == Language::cpp;
  if (is_cpp) finding.fixes = fewer_operations(run, overhead, count);
  if (!is_cpp && no_compiler.empty()) join_chains(run, overhead, count, out);
  if (!is_cpp && !no_compiler.empty()) {
    finding.title += fmt::format("; {}", no_compiler);
    finding.ceiling_ns_per_step += run.per_step(operations.fixed_ns);
  }
  advise(is_cpp || no_compiler.empty() ? Advice::launch_bound_without_device
                                       : Advice::launch_bound_without_compiler,
         run.language, finding);
  finding.falsified_by =
      fmt::format("{} shorter by up to {}",
                  no_compiler.empty()
                      ? "with twice the batch the step takes twice as long, or compiled it is not"
                      : "with twice the batch the step takes twice as long: it is not",
                  format_duration(finding.ceiling_ns_per_step));
}

}  // namespace

Judgement judge_launch_overhead(const JudgedRun& run) {
  const OperationCount operations = count_operations(run);
  Judgement out = judge_values_read(run, operations);
  const Overhead overhead = overhead_of(run, operations);
  const double time = run.idle_per_step(overhead.price.total());
  const double count = run.count_per_step(operations.count);
  const bool is_overhead = count >= kManyOperations || time <= kLongestOverheadNs * count;
  if (run.weight(time) >= kLeastOverhead && is_overhead && time >= run.least_ns())
    add_overhead(run, overhead, operations, out);
  if (out.found.empty())
    return cleared(fmt::format("{:.0f} operations a step, with {} ({}) on the way between them",
                               count, format_duration(time), percent(run.share(time))));
  return out;
}

}  // namespace stepscope::rules
