// SPDX-License-Identifier: Apache-2.0
// sequential_generation: texts (or samples) are made one after another by nearly the same short
// sequence of small kernels, again and again.
//
//   fires where   in one phase of a step: passes >= 48, of >= 8 kernels each, at least two of them
//                 matrix products, half of the kernels shorter than 10 us, sequences >= 2, and the
//                 phase's wall time >= 5 % of the step (and ceiling >= least)
//   passes        the number of times that most of its kernels are launched: the count to which
//                 (or to multiples of which) three quarters of the phase's launches belong
//   sequences     the fewest times (two or more, at most an eighth of the passes) that two kernels
//                 or more are launched a step: what runs once for each. One sequence alone is
//                 decoding as it is, and launch_bound's matter
//   ceiling       all but one of the sequences' share of the phase's time: N sequences in one batch
//                 take little longer than one (an assumption)
//   Not in an optimizer's phase, not in the backward pass, and not where the backward passes launch half as
//   many kernels or more: passes that are trained (a recurrent network) are no generation.
#include "core/findings/rules/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/attribution/places/call_sites.hpp"
#include "core/findings/advice/advice.hpp"
#include "core/findings/wait_lines.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr double kLeastPasses = 48, kSequentialGenerationLeastKernels = 8, kLeastMatrices = 2;
constexpr double kLeastSequences = 2;
constexpr double kSequentialGenerationLeastShare = 0.05;
constexpr double kLeastMembers = 0.75;
constexpr std::int64_t kSmallKernelNs = 10'000;

struct PhaseKernels {
  std::map<StringId, std::uint64_t> launches;
  std::uint64_t total = 0;
  std::uint64_t matrices = 0;
  std::uint64_t small = 0;
};

std::map<PhaseId, PhaseKernels> kernels_by_phase(const JudgedRun& run) {
  std::map<PhaseId, PhaseKernels> out;
  const DeviceOps& d = run.trace.device_ops();
  for (DeviceOpId op = 0; op < d.size(); ++op) {
    if (d.kind[op] != DeviceOpKind::kernel || !run.counts_op(op)) continue;
    const OpOwner& owner = run.attribution.ops[op];
    PhaseKernels& phase = out[owner.phase];
    ++phase.launches[d.name[op]];
    ++phase.total;
    if (owner.cause == Cause::gpu_gemm) ++phase.matrices;
    if (d.end[op] - d.begin[op] < kSmallKernelNs) ++phase.small;
  }
  return out;
}

// The number of passes a step; 0 where launches do not agree on one.
double passes_of(const JudgedRun& run, const PhaseKernels& kernels) {
  std::map<std::uint64_t, std::uint64_t> launches_by_count;
  for (const auto& [name, count] : kernels.launches) launches_by_count[count] += count;
  double best = 0;
  for (const auto& [count, unused] : launches_by_count) {
    const double passes = run.count_per_step(count);
    if (passes < kLeastPasses) continue;
    std::uint64_t members = 0;  // counts within 5 % of a multiple
    for (const auto& [other, launches] : launches_by_count) {
      const double ratio = static_cast<double>(other) / static_cast<double>(count);
      const double nearest_multiple = std::round(ratio);
      if (nearest_multiple >= 1 && std::abs(ratio - nearest_multiple) < 0.05 * nearest_multiple)
        members += launches;
    }
    if (static_cast<double>(members) >= kLeastMembers * static_cast<double>(kernels.total)) {
      best = passes;
      break;  // the smallest count: one for each pass
    }
  }
  return best;
}

// Returns how many sequences are generated one after another: some kernels run once for each (the
// prompt's pass, the joining of its tokens). 0 where none do so.
double sequences_of(const JudgedRun& run, const PhaseKernels& kernels, double passes) {
  std::map<std::uint64_t, std::uint64_t> names_by_count;
  for (const auto& [name, count] : kernels.launches) ++names_by_count[count];
  for (const auto& [count, names] : names_by_count) {
    const double sequences = run.count_per_step(count);
    const bool whole = std::abs(sequences - std::round(sequences)) < 0.01;
    if (names >= 2 && whole && sequences >= kLeastSequences && sequences * 8 <= passes)
      return sequences;
  }
  return 0;
}

struct Generation {
  PhaseId phase = 0;
  double sequences = 0;
  double passes = 0;
  double kernels = 0;  // a pass
};

std::vector<Generation> find_generations(const JudgedRun& run) {
  std::vector<Generation> out;
  const std::map<PhaseId, PhaseKernels> by_phase = kernels_by_phase(run);
  std::uint64_t backward = 0;
  for (const auto& [phase, kernels] : by_phase)
    if (run.phase_name(phase) == "backward") backward += kernels.total;
  for (const auto& [phase, kernels] : by_phase) {
    if (run.optimizer_phases[phase] || run.phase_name(phase) == "backward") continue;
    if (2 * backward >= kernels.total) continue;
    const double passes = passes_of(run, kernels);
    if (passes == 0 || 2 * kernels.small < kernels.total) continue;
    const double each = run.count_per_step(kernels.total) / passes;
    const double matrices = run.count_per_step(kernels.matrices) / passes;
    const double sequences = sequences_of(run, kernels, passes);
    if (each >= kSequentialGenerationLeastKernels && matrices >= kLeastMatrices && sequences > 0)
      out.push_back({phase, sequences, passes, each});
  }
  return out;
}

// Calls of each function of the user around the phase's launches in one step; where Python frames
// were recorded.
struct FunctionCalls {
  std::set<RangeId> frames;
  std::size_t depth = 0;  // user functions around the first one
};

void add_frames_around(const JudgedRun& run, RangeId range, std::map<SiteId, FunctionCalls>& out) {
  const HostRanges& h = run.trace.host_ranges();
  std::vector<RangeId> frames;
  for (; range != kNone; range = h.parent[range]) {
    if (h.kind[range] != HostKind::python_function || h.site[range] == kNone) continue;
    const Site& site = run.trace.data().sites[h.site[range]];
    if (is_user_file(run.trace.text(site.file))) frames.push_back(range);
  }
  for (std::size_t i = 0; i < frames.size(); ++i) {
    FunctionCalls& calls = out[h.site[frames[i]]];
    if (calls.frames.empty()) calls.depth = frames.size() - i;
    calls.frames.insert(frames[i]);
  }
}

// The outermost function that is called once for each sequence: what could be called once. kNone
// without frames.
SiteId called_for_each(const JudgedRun& run, const Generation& generation) {
  const DeviceOps& d = run.trace.device_ops();
  const Interval step = run.steps.list[run.summary.counted.front()].window;
  std::map<SiteId, FunctionCalls> functions;
  for (DeviceOpId op = 0; op < d.size(); ++op) {
    const CallId call = run.trace.launch_of(op);
    if (run.attribution.ops[op].phase == generation.phase && step.contains(d.begin[op]) &&
        call != kNone)
      add_frames_around(run, run.trace.calls().range[call], functions);
  }
  SiteId best = kNone;
  for (const auto& [site, calls] : functions) {
    const bool once_each =
        std::abs(static_cast<double>(calls.frames.size()) - generation.sequences) < 0.5;
    if (once_each && (best == kNone || calls.depth < functions[best].depth)) best = site;
  }
  return best;
}

// That function stands first: the lines inside it do the work, and are right to.
void put_first(const JudgedRun& run, SiteId site, Finding& finding) {
  if (site == kNone) return;
  const Site& at = run.trace.data().sites[site];
  const FindingPlace place{std::string(run.trace.text(at.file)), at.line, at.kind,
                           std::string(run.trace.text(at.function)), 0};
  const auto known = std::find_if(finding.places.begin(), finding.places.end(),
                                  [&place](const FindingPlace& other) {
                                    return other.file == place.file && other.line == place.line;
                                  });
  if (known == finding.places.end()) {
    finding.places.insert(finding.places.begin(), place);
  } else {
    std::rotate(finding.places.begin(), known, known + 1);
  }
}

Price phase_price(const JudgedRun& run, PhaseId phase) {
  Price price(run);
  for (const Segment& s : run.segments())
    if (s.phase == phase && run.counts(s.time.begin)) price.add(s, s.time.length());
  return price;
}

// All but one of the sequences.
double ceiling_of(const Generation& generation, double time) {
  return (1 - 1 / generation.sequences) * time;
}

Finding generation_finding(const JudgedRun& run, const Generation& generation, const Price& price) {
  const double time = run.wall_per_step(price.total());
  Finding out = price.finding(time);
  out.ceiling_ns_per_step = ceiling_of(generation, time);
  put_first(run, called_for_each(run, generation), out);
  out.count_per_step = generation.passes;
  const std::string phase(run.phase_name(generation.phase));
  out.title = fmt::format(
      "{} {:.0f} sequences one after another, {:.0f} nearly identical passes of {:.0f} small "
      "kernels: "
      "{} a step ({})",
      phase.empty() ? "the loop makes" : "'" + phase + "' makes", generation.sequences,
      generation.passes, generation.kernels, format_duration(time), percent(run.share(time)));
  Fix batch;
  batch.kind = FixKind::batch_repeats;
  batch.scope.phases = {generation.phase};
  batch.every = static_cast<std::uint32_t>(generation.sequences);
  out.fixes = {batch};
  advise(Advice::sequential_generation, run.language, out);
  out.falsified_by = "two sequences in one batch take twice as long as one";
  out.certainty = Certainty::assumption;
  return out;
}

}  // namespace

Judgement judge_sequential_generation(const JudgedRun& run) {
  Judgement out;
  for (const Generation& generation : find_generations(run)) {
    const Price price = phase_price(run, generation.phase);
    const double time = run.wall_per_step(price.total());
    if (run.weight(time) < kSequentialGenerationLeastShare ||
        ceiling_of(generation, time) < run.least_ns())
      continue;
    out.found.push_back(generation_finding(run, generation, price));
  }
  if (!out.found.empty()) return out;
  return cleared("no phase makes sequences one after another by passes of small kernels");
}

}  // namespace stepscope::rules
