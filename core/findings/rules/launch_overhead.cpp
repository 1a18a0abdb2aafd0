// SPDX-License-Identifier: Apache-2.0
// launch_bound on a run without a device: Python and the framework take long from one operation to the
// next. The optimizer's operations are unfused_optimizer's.
//
//   fires where   Python and the framework between operations (stretches below kLongestWayNs) >= 10 %
//                 of the step, and either >= 50 operations a step or a way of <= 50 us from one to
//                 the next. A longer way between few operations is no overhead of theirs, but what
//                 the program does
//   repeats       what a pass that a step repeats has of it is a finding of its own: one_pass.cpp. The
//                 rest fires where it is still as much
//   compiles      torch.compile joins chains of element-wise and reducing operations. It is forecast
//                 and advised where 5.8 times as many of these as of products run at the lines that a
//                 backward pass goes through: 0.7 of the way
//                 between operations goes, and half of what those compute. With fewer, programs became
//                 7 % shorter to 64 % longer (docs/measurements/forecasts.md)
//   no compiler   no forecast: fewer operations give the way between them and what each takes whatever its
//                 size (fixed_ns_of) at most
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
// Programs became up to 46 % longer by a compiler: at worst what it joins takes half as long again.
constexpr double kJoinedTakes = 0.5, kJoinedTakesLow = 0.3, kJoinedTakesHigh = 1.5;
constexpr double kLittle = 0.02;
constexpr double kLeastOfAFix = 0.005;  // share of the step: less may be in no replayed sample
// Larger micro-batches make products no faster: only what lies between operations.
constexpr double kLeastOfMicroBatches = 0.25;
constexpr double kManyOperations = 50;         // a step
constexpr double kLongestOverheadNs = 50'000;  // from one operation to the next

// Time of one cause: on the way between operations, and in all.
struct CauseTime {
  std::int64_t between = 0, all = 0;
};

// Holds the time between operations, without that of the optimizer and of lines of values.
struct Overhead {
  explicit Overhead(const JudgedRun& run) : price(run) {}
  Price price;
  std::map<Cause, CauseTime> causes;
};

// `pass`: what it has is left out; null: nothing is. `sites`: the only lines that count; null: all do.
Overhead overhead_of(const JudgedRun& run, const OperationCount& operations,
                     const RepeatedPass* pass, const std::vector<bool>* sites = nullptr) {
  Overhead out(run);
  const OwnStretches own(run);
  for (std::size_t i = 0; i < run.segments().size(); ++i) {
    const Segment& s = run.segments()[i];
    if (!is_between_operations(s.cause) || !run.counts(s.time.begin)) continue;
    if (sites != nullptr && !is_compiled(run, *sites, s)) continue;
    out.causes[s.cause].all += s.time.length();
    if (run.optimizer_phases[s.phase] || own.holds(s)) continue;
    if (s.site != kNone && operations.is_of_values(line_of(run, s.site))) continue;
    const double rest = pass == nullptr ? 1 : 1 - pass->share_of(s);
    const auto ns = static_cast<std::int64_t>(rest * static_cast<double>(run.unexplained_ns(i)));
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
    if (run.weight(run.per_step(ns.between)) < kLeastOfAFix) continue;
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

std::string overhead_title(const JudgedRun& run, const OperationCount& operations, double count,
                           double time, bool has_pass) {
  return fmt::format(
      "{:.0f} {}operations a step, half of {} shorter than {}: for {} a step ({}) {} and the "
      "framework are on the way from one to the next",
      count, has_pass ? "other " : "", has_pass ? "all" : "them",
      format_duration(static_cast<double>(operations.median_ns)), format_duration(time),
      percent(run.share(time)), run.language == Language::cpp ? "the program" : "Python");
}

std::vector<SiteId> set_sites(const std::vector<bool>& sites) {
  std::vector<SiteId> out;
  for (SiteId site = 0; site < sites.size(); ++site)
    if (sites[site]) out.push_back(site);
  return out;
}

// Adds what torch.compile saves at the lines that it compiles: what is joined computes in half of its time,
// and the way to it becomes shorter.
void join_chains(const JudgedRun& run, Overhead overhead, const OperationCount& operations,
                 const RepeatedPass* pass, Judgement& out) {
  Finding& finding = out.found.back();
  std::vector<bool> sites = compiled_sites(run);
  const std::vector<bool> trained = sites_with_gradients(run);
  if (pass != nullptr)
    for (const SiteId site : pass->sites) sites[site] = false;
  std::map<Cause, std::int64_t> joined;
  for (std::size_t i = 0; i < run.segments().size(); ++i) {
    const Segment& s = run.segments()[i];
    if (!is_joined(s.cause) || !is_compiled(run, sites, s)) continue;
    if (is_as_good_as_compiled(run, trained, s)) continue;
    const auto goes =
        static_cast<std::int64_t>((1 - kJoinedTakes) * static_cast<double>(run.unexplained_ns(i)));
    overhead.price.add(s, goes);
    joined[s.cause] += goes;
    out.explained.emplace_back(i, goes);
  }
  const Finding all = overhead.price.finding(run.idle_per_step(overhead.price.total()));
  finding.caused_ns_per_step = all.caused_ns_per_step;
  finding.ceiling_ns_per_step = all.ceiling_ns_per_step;
  finding.fixes = fewer_operations(run, overhead_of(run, operations, pass, &sites),
                                   run.count_per_step(operations.compiled));
  const std::vector<SiteId> lines = set_sites(sites);
  for (Fix& fewer : finding.fixes) fewer.scope.sites = lines;
  for (const auto& [cause, ns] : joined) {
    if (run.weight(run.per_step(ns)) < kLittle) continue;
    Fix fused{.kind = FixKind::scale_work,
              .factor = kJoinedTakes,
              .factor_low = kJoinedTakesLow,
              .factor_high = kJoinedTakesHigh};
    fused.scope.sites = lines;
    fused.scope.cause = cause;
    fused.finding = kLaunchBound;
    finding.fixes.push_back(fused);
  }
}

// `pass`: what was found of it already; null: nothing was.
void add_overhead(const JudgedRun& run, const Overhead& overhead, const OperationCount& operations,
                  const RepeatedPass* pass, bool may_be_layers, Judgement& out) {
  const double time = run.idle_per_step(overhead.price.total());
  const double of_pass = pass == nullptr ? 0 : pass->operations_per_step();
  const double count = std::max(1.0, run.count_per_step(operations.count) - of_pass);
  Finding& finding = out.found.emplace_back(overhead.price.finding(time));
  finding.count_per_step = count;
  finding.title = overhead_title(run, operations, count, time, pass != nullptr);
  finding.certainty = Certainty::assumption;
  std::string_view no_compiler = why_no_compiler(run, operations);
  if (no_compiler.empty() && may_be_layers)
    no_compiler = "the same pass runs many times, for each of which torch.compile may be called";
  const bool is_cpp = run.language == Language::cpp;
  if (is_cpp) finding.fixes = fewer_operations(run, overhead, count);
  if (!is_cpp && no_compiler.empty()) join_chains(run, overhead, operations, pass, out);
  if (!is_cpp && !no_compiler.empty()) {
    finding.title += fmt::format("; {}", no_compiler);
    finding.ceiling_ns_per_step += run.per_step(operations.fixed_ns);
    finding.may_not_shorten = true;
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

bool is_launch_bound(const JudgedRun& run, double time, double count) {
  const bool is_overhead = count >= kManyOperations || time <= kLongestOverheadNs * count;
  return run.weight(time) >= kLeastOverhead && is_overhead && time >= run.least_ns();
}

// Returns whether something was found.
bool add_pass(const JudgedRun& run, const RepeatedPass& pass, double overhead_ns, Judgement& out) {
  if (pass.may_be_layers) return false;
  if (pass.is_micro_batch && run.weight(overhead_ns) < kLeastOfMicroBatches) return false;
  Judgement of_pass = judge_one_pass(run, pass);
  if (of_pass.found.empty()) return false;
  out.found.push_back(std::move(of_pass.found.front()));
  out.explained.insert(out.explained.end(), of_pass.explained.begin(), of_pass.explained.end());
  return true;
}

}  // namespace

Judgement judge_launch_overhead(const JudgedRun& run) {
  const OperationCount operations = count_operations(run);
  Judgement out = judge_values_read(run, operations);
  const Overhead overhead = overhead_of(run, operations, nullptr);
  const double time = run.idle_per_step(overhead.price.total());
  const double count = run.count_per_step(operations.count);
  if (is_launch_bound(run, time, count)) {
    const auto pass = find_repeated_pass(run);
    if (pass && add_pass(run, *pass, time, out)) {
      const Overhead rest = overhead_of(run, operations, &*pass);
      if (is_launch_bound(run, run.idle_per_step(rest.price.total()), count))
        add_overhead(run, rest, operations, &*pass, false, out);
    } else {
      add_overhead(run, overhead, operations, nullptr, pass && pass->may_be_layers, out);
    }
  }
  if (out.found.empty())
    return cleared(fmt::format("{:.0f} operations a step, with {} ({}) on the way between them",
                               count, format_duration(time), percent(run.share(time))));
  return out;
}

}  // namespace stepscope::rules
