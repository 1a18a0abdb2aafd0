// SPDX-License-Identifier: Apache-2.0
// input_starvation: the device idles while the loop makes its input, or waits for a loader that
// does.
//
//   fires where   idle >= 5 % of the step, or >= 3 % over 20 steps or more, and >= least
//   idle          what waiting for input and making it cost the loop (input_time.hpp)
//   in forward    where a module's forward uploads most of what is made, it may be a constant (a mask, a
//                 bias), and the advice is to make it once
//   workers       the forecast is of four, or twice as many as there are, but of no more than
//                 (cores - c - b) / c, where c is the share of its time in which a worker computes, and
//                 b how many cores the threads of the loop's operations keep busy beside it; where
//                 there are that many already, the advice is to make less of the input, and the
//                 forecast of half
//   quick         where a loader without workers makes a batch in less than taking one from a worker may
//                 cost (1.5 ms), the advice is to make less of it, and the forecast of half
//   sampler       where it takes half of that time or more of a loader without workers, these would change
//                 nothing: the advice is to choose faster, and the forecast of half
//   on its way    where less than a quarter of a worker was at work while the loop waited, more of them
//                 change nothing: the advice is to send fewer tensors, without a forecast
//   What the loop does to take a batch from a worker is batch_unpacking's.
//   A second finding is what ending and starting the loader's workers costs in each epoch
//   (worker_starts.hpp), from 3 % of the step on; the first one does not hold that time.
#include "core/findings/rules/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/findings/advice/advice.hpp"
#include "core/findings/host_time.hpp"
#include "core/findings/input_time.hpp"
#include "core/findings/worker_starts.hpp"
#include "core/simulate/edits/edit.hpp"
#include "core/simulate/graph/loader_takes.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr const char* kInputStarvation = "input_starvation";
constexpr double kLeastShareOfFew = 0.05, kLeastShareOfMany = 0.03;
constexpr std::size_t kManySteps = 20;
constexpr std::uint32_t kUsualWorkers = 4;
constexpr double kLeastComputing = 0.01;
constexpr double kManyBeside = 0.5;   // cores that operations keep busy beside the loop's
constexpr double kHardlyMore = 0.15;  // share of a worker that is not worth one
constexpr double kHardlyWorks =
    0.25;  // workers that make a batch while the loop waits, at the mean
constexpr double kMostlyChosen = 0.5;  // share of the input's time that a sampler takes
// How much of the input is still made where the advice is to make less, at best once before the run: an
// assumption.
constexpr double kLessMade = 0.5, kLeastMade = 0.02, kMostMade = 0.9;

// Returns with how many workers a loader that has none keeps up with the rest of the step, or with what
// all cores can do: a loop that has little to do itself hardly misses its core.
double workers_that_pay(const JudgedRun& run, double making_ns, double share) {
  const double rest = std::max(0.0, run.free_step_ns - making_ns);
  const double least = std::max(rest, (making_ns * share + rest) / *cores_of_rank(run));
  return std::ceil(making_ns / least - kHardlyMore);
}

// Returns how many cores other threads of the loop's process keep busy while it does not make its input:
// those of PyTorch's operations, of which each waits for its slowest thread.
double cores_of_operations(const JudgedRun& run, double making_ns) {
  const double rest = std::max(1.0, run.free_step_ns - making_ns);
  return cores_beside_loop(run).value_or(0) * run.free_step_ns / rest;
}

// Chooses how many workers the loader should have. What they compute wants cores: one stays with the
// loop, and its operations keep theirs busy. While a worker sleeps (a disk, a network) it leaves the
// loop's core to the loop, so that much of a core is the workers' as well. They are at most twice as many
// as now, and as many as that where it is not known what they compute. A loader that has none gets as
// many as pay. Zero means that not even one would find a core.
std::string choose_workers(const JudgedRun& run, double making_ns, Fix& prefetch) {
  prefetch.computes = input_cpu_share(run, prefetch.scope.host_times);
  const std::uint32_t now = loader_workers(run);
  const std::uint32_t wanted = std::max(kUsualWorkers, 2 * now);
  const auto cores = core_count(run);
  prefetch.workers = wanted;
  if (!cores) return "";
  if (!prefetch.computes) return "how much of making input is computing was not sampled";
  const double share = std::max(*prefetch.computes, kLeastComputing);
  const double beside = cores_of_operations(run, making_ns);
  const double fit = (*cores_of_rank(run) - share - beside) / share;
  const bool would_hold_up = fit < 1 && beside >= kManyBeside;
  const double most = now > 0 || would_hold_up ? 0 : workers_that_pay(run, making_ns, share);
  prefetch.workers = static_cast<std::uint32_t>(std::clamp(
      std::max({0.0, fit, most}), static_cast<double>(now), static_cast<double>(wanted)));
  return fmt::format("making it computes for {} of its time, and this machine has {} core{}{}",
                     percent(*prefetch.computes), *cores, *cores == 1 ? "" : "s",
                     *cores_of_rank(run) < *cores ? " for all of its ranks" : "");
}

// Whether the loader has as many workers already as find a core.
bool workers_fill_cores(const JudgedRun& run, const Fix& prefetch) {
  return prefetch.workers == loader_workers(run);
}

// Whether a batch of a loader without workers takes no longer than taking one from a worker may.
bool is_quick(const JudgedRun& run, const InputTime& time, double making_ns) {
  if (loader_workers(run) > 0 || (run.has_device && !time.in_loader)) return false;
  const std::size_t batches = asked_loaders(*run.attribution.index, run.steps).usual;
  return batches > 0 && making_ns < kLoaderTakeNs.bad * static_cast<double>(batches);
}

// Whether what the loop waits for is made already: the looks at its workers found hardly any at work.
bool is_on_its_way(const JudgedRun& run, const InputTime& time) {
  const LoaderWait& wait = run.attribution.loader;
  return time.in_loader && wait.workers > 0 && wait.seen_ns > 0 &&
         static_cast<double>(wait.busy_ns) < kHardlyWorks * static_cast<double>(wait.seen_ns);
}

// Whether an IterableDataset makes the input: its iteration is where most of the time is.
bool is_iterated(const Finding& finding) {
  return !finding.places.empty() && finding.places.front().function.ends_with("__iter__");
}

// Whether most of the time is in the function of a dataset that makes a whole batch already.
bool is_of_whole_batches(const Finding& finding) {
  return !finding.places.empty() && finding.places.front().function.ends_with("__getitems__");
}

// Whether most of the time is in a function that makes a batch of samples, by its name.
bool is_collated(const Finding& finding) {
  return !finding.places.empty() &&
         finding.places.front().function.find("collate") != std::string::npos;
}

// An advice about the input, the change that a replay knows of it, and the end of the title.
struct Remedy {
  Advice advice;
  std::optional<Fix> fix;
  std::string title;
};

// The program's own threads and processes are not counted: twice as many make it twice as fast.
Fix made_in_half(Fix prefetch, Cause waits) {
  prefetch.kind = FixKind::scale_work;
  prefetch.factor = kLessMade;
  prefetch.factor_low = kLeastMade;
  prefetch.factor_high = kMostMade;
  prefetch.scope.cause = waits;
  return prefetch;
}

// What the loop makes itself beside a loader's workers, they can make as well.
Advice advice_on_more_workers(const JudgedRun& run, const InputTime& time) {
  if (run.has_device && time.is_in_forward()) return Advice::input_is_made_in_forward;
  if (!run.has_device)
    return time.waits() ? Advice::input_waits_without_device : Advice::input_is_made_without_device;
  if (time.waits()) return Advice::input_waits;
  return loader_workers(run) > 0 ? Advice::input_is_made_beside_workers : Advice::input_is_made;
}

Remedy more_workers(const JudgedRun& run, const InputTime& time, double caused, Fix prefetch) {
  const std::string cores = choose_workers(run, caused, prefetch);
  const std::string title = cores.empty() ? "" : "; " + cores;
  if (workers_fill_cores(run, prefetch))
    return {Advice::input_waits_for_cores, made_in_half(prefetch, Cause::host_data_wait), title};
  return {advice_on_more_workers(run, time), prefetch, title};
}

Remedy choose_remedy(const JudgedRun& run, const InputTime& time, double caused, double chosen,
                     const Fix& prefetch) {
  if (chosen >= kMostlyChosen)
    return {Advice::input_is_chosen, made_in_half(prefetch, Cause::host_data_wait),
            fmt::format("; for {} of that a sampler chooses the samples, in the loop's process "
                        "whatever workers there are",
                        percent(chosen))};
  if (time.waits() && is_on_its_way(run, time))
    return {Advice::input_is_on_its_way, std::nullopt,
            "; its workers hardly make any meanwhile, so what it waits for is on its way"};
  if (time.waits() && !time.in_loader)
    return {Advice::input_waits_for_others, made_in_half(prefetch, Cause::host_wait_thread), ""};
  if (is_quick(run, time, caused))
    return {Advice::input_is_quick, made_in_half(prefetch, Cause::host_data_wait), ""};
  return more_workers(run, time, caused, prefetch);
}

std::string what_the_loop_does(const InputTime& time) {
  if (time.is_in_forward()) return "makes what the model's forward copies to the device";
  if (!time.waits()) return "makes its input itself";
  return time.in_loader ? "waits for its input"
                        : "waits for another thread or process, for input as a rule";
}

std::string title_of(const JudgedRun& run, const InputTime& time, double caused) {
  const std::string how_long =
      fmt::format("{} a step ({})", format_duration(caused), percent(run.share(caused)));
  const std::string what = what_the_loop_does(time);
  return run.has_device ? fmt::format("the device idles {} while the loop {}", how_long, what)
                        : fmt::format("for {} the loop {}", how_long, what);
}

// The scope is the input's times, not its lines: one line of the user holds the whole loop where a
// library runs it.
Fix prefetch_of(const JudgedRun& run, const InputTime& time) {
  Fix out{.kind = FixKind::prefetch_input};
  std::vector<Interval> times;
  for (const auto& [segment, ns] : time.parts) times.push_back(run.segments()[segment].time);
  out.scope.host_times = unite(std::move(times));
  out.finding = kInputStarvation;
  return out;
}

// Other profilers' traces say that a loader has workers, and not how many.
std::string workers_text(const JudgedRun& run, const InputTime& time, const Fix& fix) {
  const bool unknown = time.waits() && time.in_loader && loader_workers(run) == 0;
  return unknown ? "2 * workers_now" : std::to_string(fix.workers);
}

void add_details(const JudgedRun& run, const InputTime& time, const Remedy& remedy, Finding& out) {
  const bool makes_less =
      remedy.advice == Advice::input_waits_for_cores || remedy.advice == Advice::input_is_quick;
  const bool adds_workers = remedy.fix && remedy.fix->kind == FixKind::prefetch_input;
  if ((adds_workers || makes_less) && is_iterated(out)) {
    out.fix +=
        "; each worker of an IterableDataset reads all of it, so let each take its share, or the "
        "run trains on every sample as often as there are workers";
    out.code_hint +=
        "\ninfo = torch.utils.data.get_worker_info()   # in __iter__: yield from "
        "rows[info.id::info.num_workers]";
  }
  if (makes_less && is_of_whole_batches(out)) out.code_hint.clear();
  if (makes_less && is_collated(out))
    out.code_hint =
        "def collate(rows):  # one operation for the whole batch, not one for each sample";
  if (adds_workers) put_text("{workers}", workers_text(run, time, *remedy.fix), out.code_hint);
}

Finding input_finding(const JudgedRun& run, const InputTime& time, double caused) {
  const Fix prefetch = prefetch_of(run, time);
  const double chosen = sampler_share(run, prefetch.scope.host_times);
  const Remedy remedy = choose_remedy(run, time, caused, chosen, prefetch);
  Finding out = time.price.finding(caused);
  out.count_per_step = 1;
  out.title = title_of(run, time, caused) + remedy.title;
  advise(remedy.advice, run.language, out);
  add_details(run, time, remedy, out);
  if (remedy.fix) out.fixes = {*remedy.fix};
  if (remedy.advice == Advice::input_is_chosen) out.ceiling_ns_per_step *= chosen;
  out.falsified_by = fmt::format(
      "feeding one batch again and again (made before the loop) does not make the step shorter by "
      "about {}",
      format_duration(caused));
  out.certainty = run.inflated   ? Certainty::assumption
                  : time.waits() ? Certainty::trace_verified
                                 : Certainty::inferred;
  return out;
}

// Adds the finding about workers that are started anew, where that costs enough.
void judge_starts(const JudgedRun& run, const WorkerStarts& starts, Judgement& out) {
  Price price(run);
  Explained parts;
  for (std::size_t i = 0; i < run.segments().size(); ++i) {
    const Segment& s = run.segments()[i];
    if (!run.counts(s.time.begin) || !starts.holds(s) || s.cause == Cause::host_core_wait) continue;
    price.add(s, s.time.length());
    parts.emplace_back(i, s.time.length());
  }
  const double caused = run.idle_per_step(price.total());
  if (run.weight(caused) < kLeastShareOfMany || caused < run.least_ns()) return;
  Finding finding = price.finding(caused);
  const auto epochs = static_cast<double>(starts.epochs);
  const std::uint32_t workers = loader_workers(run);
  finding.count_per_step = run.per_step(static_cast<std::int64_t>(starts.epochs));
  finding.title = fmt::format(
      "the loader ends its {} and starts others once in {:.3g} steps, which takes {}: {} a step "
      "({})",
      workers == 1  ? "worker"
      : workers > 0 ? fmt::format("{} workers", workers)
                    : "workers",
      1 / finding.count_per_step, format_duration(static_cast<double>(price.total()) / epochs),
      format_duration(caused), percent(run.share(caused)));
  Fix stay;
  stay.kind = FixKind::prefetch_input;
  stay.scope.host_times = starts.takes;
  stay.workers = std::max(1U, workers);
  stay.finding = kInputStarvation;
  finding.fixes = {stay};
  advise(Advice::input_workers_start, run.language, finding);
  finding.falsified_by =
      fmt::format("with persistent_workers=True the step does not become shorter by about {}",
                  format_duration(caused));
  out.cleared.clear();
  out.found.push_back(std::move(finding));
  out.explained.insert(out.explained.end(), parts.begin(), parts.end());
}

Judgement judge_waits(const JudgedRun& run, const InputTime& time) {
  const double caused = run.idle_per_step(time.price.total());
  const double least =
      run.summary.counted.size() >= kManySteps ? kLeastShareOfMany : kLeastShareOfFew;
  if (run.weight(caused) < least || caused < run.least_ns()) {
    const char* who = run.has_device ? "the device" : "the loop";
    const bool has_loader =
        loader_workers(run) > 0 || !LoaderTakes(*run.attribution.index).all().empty();
    if (caused == 0 && !run.has_device && !has_loader)
      return abstained(
          "no loader is in this run, and batches that a loop without one makes itself are not told "
          "from the rest of its step ('Line' has their lines)");
    if (caused == 0) return cleared(fmt::format("{} never waits for input", who));
    return cleared(fmt::format("{} waits {} a step ({}) for input", who, format_duration(caused),
                               percent(run.share(caused))));
  }
  return fired(input_finding(run, time, caused), time.parts);
}

}  // namespace

Judgement judge_input_starvation(const JudgedRun& run) {
  const WorkerStarts starts(run);
  Judgement out = judge_waits(run, InputTime(run, starts));
  judge_starts(run, starts, out);
  return out;
}

}  // namespace stepscope::rules
