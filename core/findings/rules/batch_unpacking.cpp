// SPDX-License-Identifier: Apache-2.0
// batch_unpacking: what the loop's own thread does to take a batch from a loader's worker takes long:
// each tensor is mapped by itself, what is no tensor is read from a pipe, a sampler chooses samples for
// the next request.
//
//   fires where   unpacking >= 3 % of the step, and >= least
//   unpacking     host.data_take outside the begin of an epoch, while the device idles
//   caused        unpacking; with the advice of no worker all that the takes of batches take, waits for
//                 the worker and for a core in them included
//   tensors       calls of aten::set_ in a take: each maps one. Where operations were not recorded, as
//                 beside a GPU, takes of more than 1.5 ms are taken for those of many, without a forecast
//   forecast      the takes in the part of their time that is left:
//     sampler     it takes a quarter of unpacking or more, with workers or without: half of its part, a
//                 tenth to nine tenths
//     no worker   making a batch takes the loop less than what is left of a take with the advice below,
//                 waits in it included (make_in_loop.cpp)
//     packed      four tensors or more, and unpacking takes longer than that of one to three: the time of
//                 these
//     together    one to three: half, for two batches in one take
//   cleared       where none of these is
#include "core/findings/rules/rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/findings/advice/advice.hpp"
#include "core/findings/host_time.hpp"
#include "core/findings/price.hpp"
#include "core/findings/worker_starts.hpp"
#include "core/simulate/edits/edit.hpp"
#include "core/simulate/graph/loader_takes.hpp"
#include "core/simulate/graph/worker_time.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr const char* kBatchUnpacking = "batch_unpacking";
constexpr double kUnpackingLeastShare = 0.03;
constexpr double kManyTensors = 4;        // in a batch
constexpr double kSamplerMatters = 0.25;  // share of unpacking
// The part of the time that is left: of a sampler's, and where a take brings two batches.
constexpr Estimate kHalf{0.5, 0.1, 0.9};

struct TakenTime {
  explicit TakenTime(const JudgedRun& run) : price(run) {}

  void add(const Segment& s, std::size_t segment) {
    price.add(s, s.time.length());
    parts.emplace_back(segment, s.time.length());
    times.push_back(s.time);
  }

  Price price;
  Explained parts;
  std::vector<Interval> times;
};

struct Takes {
  explicit Takes(const JudgedRun& run) : unpacking(run), all(run) {
    const WorkerStarts starts(run);
    const LoaderTakes takes(*run.attribution.index);
    for (std::size_t i = 0; i < run.segments().size(); ++i) {
      const Segment& s = run.segments()[i];
      if (!run.counts(s.time.begin) || takes.at(s.time.begin) == nullptr || starts.holds(s))
        continue;
      if (s.cause == Cause::host_data_take) unpacking.add(s, i);
      if (is_host(s.cause)) all.add(s, i);
    }
    for (const LoaderTake& take : takes.all()) batches += counts(run, &take) ? 1 : 0;
    count_tensors(run, takes);
    making_ns = worker_time(*run.attribution.index, takes.all()).ns_a_batch;
  }

  static bool counts(const JudgedRun& run, const LoaderTake* take) {
    return take != nullptr && run.counts(take->time.begin);
  }

  void count_tensors(const JudgedRun& run, const LoaderTakes& takes) {
    const HostRanges& h = run.trace.host_ranges();
    const StringId maps = run.trace.data().strings.find("aten::set_");
    const Rows rows = run.trace.ranges_of(run.steps.thread);
    if (!run.trace.collected().framework_ops) return;
    std::size_t count = 0;
    for (RangeId r = rows.begin; r < rows.end && maps != kNone; ++r)
      if (h.name[r] == maps && counts(run, takes.at(h.begin[r]))) ++count;
    if (batches > 0) tensors = static_cast<double>(count) / batches;
  }

  double ns_a_batch(const TakenTime& time) const {
    return static_cast<double>(time.price.total()) / std::max(1.0, batches);
  }

  TakenTime unpacking, all;  // all of them hold the waits, too
  double batches = 0;
  std::optional<double> tensors;    // in a batch; nothing where operations were not recorded
  std::optional<double> making_ns;  // a worker's time for a batch
};

// Makes unpacking take `left` of its time, between 1/20 and all of it.
Fix with_left(Estimate left) {
  const auto part = [](double share) { return std::clamp(share, 0.05, 1.0); };
  Fix fix{.kind = FixKind::scale_work,
          .factor = part(left.expected),
          .factor_low = part(left.good),
          .factor_high = part(left.bad)};
  fix.scope.cause = Cause::host_data_take;
  return fix;
}

struct Choice {
  Advice advice;
  Fix fix;
};

std::optional<Choice> choose_unpacking(const Takes& takes, double chosen) {
  const double ns = takes.ns_a_batch(takes.unpacking);
  if (chosen >= kSamplerMatters) {
    const auto left = [chosen](double of_sampler) { return 1 - chosen * (1 - of_sampler); };
    return Choice{Advice::input_is_chosen,
                  with_left({left(kHalf.expected), left(kHalf.good), left(kHalf.bad)})};
  }
  if (takes.tensors && *takes.tensors < 1) return std::nullopt;
  if (takes.tensors && *takes.tensors < kManyTensors)
    return Choice{Advice::unpacking_of_few_tensors, with_left(kHalf)};
  if (ns <= (takes.tensors ? kLoaderTakeNs.expected : kLoaderTakeNs.bad)) return std::nullopt;
  const Fix fix =
      with_left({kLoaderTakeNs.expected / ns, kLoaderTakeNs.good / ns, kLoaderTakeNs.bad / ns});
  return Choice{Advice::unpacking_of_many_tensors, fix};
}

// A loop that makes its batches itself neither unpacks them nor waits for them.
std::optional<Choice> choose_fix(const Takes& takes, double chosen) {
  std::optional<Choice> otherwise = choose_unpacking(takes, chosen);
  if (!takes.making_ns || chosen >= kSamplerMatters) return otherwise;
  const double unpacking = takes.ns_a_batch(takes.unpacking);
  const double left =
      (otherwise ? otherwise->fix.factor - 1 : 0) * unpacking + takes.ns_a_batch(takes.all);
  if (made_in_loop(*takes.making_ns).expected >= left) return otherwise;
  return Choice{Advice::unpacking_needs_no_worker, {.kind = FixKind::make_in_loop}};
}

std::string what_is_taken(const Takes& takes) {
  if (!takes.tensors) return "";
  if (*takes.tensors < 1) return " of Python objects or arrays";
  return fmt::format(" of {:.0f} tensor{}", *takes.tensors, *takes.tensors < 1.5 ? "" : "s");
}

std::string title_of(const JudgedRun& run, const Takes& takes, double unpacking, double chosen,
                     bool needs_no_worker) {
  std::string out = fmt::format(
      "{} {} a step ({}){} the loop's own thread unpacks what its loader's workers send: "
      "a batch{} takes it {}{}",
      run.has_device ? "the device idles" : "for", format_duration(unpacking),
      percent(run.share(unpacking)), run.has_device ? " while" : "", what_is_taken(takes),
      format_duration(takes.ns_a_batch(takes.unpacking)),
      takes.tensors ? "" : ", as long as many tensors or other objects do");
  if (chosen >= kSamplerMatters)
    return out +
           fmt::format("; for {} of that a sampler chooses the next samples", percent(chosen));
  if (!needs_no_worker) return out;
  return out +
         fmt::format(
             "; with its waits for the worker or for a core, {}, and a worker makes one in {}",
             format_duration(takes.ns_a_batch(takes.all)), format_duration(*takes.making_ns));
}

}  // namespace

Judgement judge_batch_unpacking(const JudgedRun& run) {
  const Takes takes(run);
  if (takes.batches == 0) return abstained("no loader with workers is in these steps");
  const double unpacking = run.idle_per_step(takes.unpacking.price.total());
  const double chosen = sampler_share(run, unite(takes.unpacking.times));
  std::optional<Choice> choice = choose_fix(takes, chosen);
  if (!choice || run.weight(unpacking) < kUnpackingLeastShare || unpacking < run.least_ns())
    return cleared(fmt::format("the loop takes {} a step ({}) to unpack its batches",
                               format_duration(unpacking), percent(run.share(unpacking))));
  choice->fix.finding = kBatchUnpacking;
  const bool is_all = choice->advice == Advice::unpacking_needs_no_worker;
  const TakenTime& time = is_all ? takes.all : takes.unpacking;
  const double caused = run.idle_per_step(time.price.total());
  Finding out = time.price.finding(caused);
  out.count_per_step = run.per_step(static_cast<std::int64_t>(takes.batches));
  out.title = title_of(run, takes, unpacking, chosen, is_all);
  advise(choice->advice, run.language, out);
  // What workers take to pack the tensors goes with them, and is not known where these are not counted.
  if (takes.tensors || choice->advice == Advice::input_is_chosen) out.fixes = {choice->fix};
  out.falsified_by = fmt::format(
      "feeding one batch again and again (made before the loop) does not make the step shorter by "
      "about {}",
      format_duration(caused));
  out.certainty = run.inflated ? Certainty::assumption : Certainty::trace_verified;
  return fired(std::move(out), time.parts);
}

}  // namespace stepscope::rules
