// SPDX-License-Identifier: Apache-2.0
// core_contention: the loop's thread is ready to run and has no core, because other threads or
// processes have them all. It speaks of the program where its processes keep nearly all cores busy
// (kOwn), else of the machine, apart from the findings about the program.
//
//   fires where   waits >= 5 % of the step, and >= least
//   waits         what the partition has as host.core_wait, by which everything else is what it
//                 costs on a free machine: rules behind this one leave it out
//   abstains      where the counter was not sampled
#include "core/findings/rules/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/findings/advice/advice.hpp"
#include "core/findings/host_time.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr double kLeastWaiting = 0.05;
// Share of all cores that the program itself keeps busy from which on no other program matters.
constexpr double kOwn = 0.8;
constexpr double kNothingBeside = 0.05;  // cores that other threads of the process keep busy
constexpr double kMuchInput = 0.1;       // share of the step that is waiting for a loader
constexpr double kMostlySleeps = 0.5;    // share of their time in which workers compute

Price waiting_price(const JudgedRun& run) {
  Price price(run);
  for (const Segment& s : run.segments()) {
    if (s.cause == Cause::host_core_wait && run.counts(s.time.begin)) price.add(s, s.time.length());
  }
  return price;
}

// Who has the cores while the loop's thread waits for one.
struct Holders {
  explicit Holders(const JudgedRun& run)
      : cores(core_count(run)),
        busy(cores_kept_busy(run)),
        children(cores_of_children(run).value_or(0)),
        workers(loader_workers(run)) {}

  bool are_own() const { return cores && busy && *busy >= kOwn * *cores; }

  std::optional<std::uint32_t> cores;
  std::optional<double> busy;  // cores that the program itself keeps busy
  double children;             // those of them that processes do which it started
  std::uint32_t workers;
};

std::string children_text(const Holders& by) {
  constexpr double kHardlyAny = 0.1;
  if (by.workers == 0) return by.children < kHardlyAny ? "" : " with the processes that it started";
  return by.workers == 1 ? " with its loader worker"
                         : fmt::format(" with its {} loader workers", by.workers);
}

std::string holders_text(const Holders& by) {
  const std::string all = by.cores ? fmt::format("the {} cores", *by.cores) : "the cores";
  if (by.are_own())
    return fmt::format("this program's own threads{} keep {:.1f} of {} busy", children_text(by),
                       *by.busy, all);
  std::string others = "other threads or processes (or a virtual machine's host) had " + all;
  if (!by.busy) return others;
  return fmt::format("{}, of which this program{} kept {:.1f} busy", others, children_text(by),
                     *by.busy);
}

// Whether the loop waits for its loader: fewer workers would make it wait longer.
bool waits_for_input(const JudgedRun& run) {
  std::int64_t waits = 0;
  for (const Segment& s : run.segments())
    if (s.cause == Cause::host_data_wait && run.counts(s.time.begin)) waits += s.time.length();
  return loader_workers(run) > 0 && run.weight(run.per_step(waits)) >= kMuchInput;
}

// How the cores are shared between the threads of the step and the processes that the program started,
// above all its loader's workers. Workers that mostly sleep take no core from the step; what they do may
// not have been sampled.
struct CoreShares {
  CoreShares(const JudgedRun& run, std::uint32_t cores)
      : sleep(input_cpu_share(run, {}).value_or(0) < kMostlySleeps),
        workers(sleep ? 0 : std::min(loader_workers(run), cores - 1)),
        threads(cores - std::min(cores - 1, std::max(workers, children(run)))) {}

  // How many cores' worth of work the processes do that the program has started.
  static std::uint32_t children(const JudgedRun& run) {
    return static_cast<std::uint32_t>(std::lround(cores_of_children(run).value_or(0)));
  }

  bool sleep;
  std::uint32_t workers, threads;
};

// Whether the process has hardly any thread that computes beside the loop's, whatever PyTorch would choose.
bool computes_alone(const JudgedRun& run) {
  return cores_beside_loop(run).value_or(1) < kNothingBeside;
}

// Whether the step waits for longer than fewer threads would add to it: each of them takes over its
// part of what the others compute beside the loop.
bool fewer_threads_pay(const JudgedRun& run, std::uint32_t threads, double waits) {
  const std::uint32_t now = torch_threads(run);
  if (now <= threads) return false;
  const std::optional<double> beside = cores_beside_loop(run);
  if (computes_alone(run)) return false;
  if (!beside || now < 2) return true;
  const double each = *beside * run.step_ns / (now - 1);
  return waits > each * (static_cast<double>(now) / threads - 1);
}

// A line of the hint stays only where it changes something: fewer threads than PyTorch computes with,
// fewer workers than now.
std::string shared_cores(const JudgedRun& run, const std::string& hint, double waits) {
  const auto cores = core_count(run);
  if (!cores) return "";
  const CoreShares by(run, *cores);
  const std::size_t end = hint.find('\n');
  std::string out;
  if (fewer_threads_pay(run, by.threads, waits)) out = hint.substr(0, end);
  const std::string fewer_workers = end == hint.npos ? "" : hint.substr(end + 1);
  if (!by.sleep && by.workers < loader_workers(run) && !fewer_workers.empty())
    out += (out.empty() ? "" : "\n") + fewer_workers;
  put_number("{workers}", by.workers, out);
  put_number("{threads}", by.threads, out);
  return out;
}

// Whether PyTorch has more threads than cores are left to it, and the step needs them all the same.
bool needs_its_threads(const JudgedRun& run, double waits) {
  const auto cores = core_count(run);
  if (!cores) return false;
  const std::uint32_t threads = CoreShares(run, *cores).threads;
  return threads < torch_threads(run) && !computes_alone(run) &&
         !fewer_threads_pay(run, threads, waits);
}

Advice advice_on_cores(const JudgedRun& run, bool are_own, double waits) {
  if (waits_for_input(run)) return Advice::core_contention_of_a_loop_that_waits;
  if (!are_own) return Advice::core_contention;
  return needs_its_threads(run, waits) ? Advice::core_contention_of_own_work
                                       : Advice::core_contention_of_own_threads;
}

Finding contention_finding(const JudgedRun& run, const Price& price, double waits) {
  Finding out = price.finding(waits);
  out.count_per_step = 1;
  const Holders by(run);
  out.by_own_threads = out.may_not_shorten = by.are_own();
  out.title =
      fmt::format("for {} a step ({}) the loop's thread was ready to run and had no core: {}",
                  format_duration(waits), percent(run.share(waits)), holders_text(by));
  advise(advice_on_cores(run, by.are_own(), waits), run.language, out);
  out.code_hint = shared_cores(run, out.code_hint, waits);
  out.falsified_by =
      out.by_own_threads
          ? "with fewer threads than cores, the step takes as long"
          : "on a machine that nothing else uses, with fewer threads than cores, the "
            "step takes as long";
  out.certainty = Certainty::trace_verified;
  return out;
}

}  // namespace

Judgement judge_core_contention(const JudgedRun& run) {
  if (!core_wait_is_known(run))
    return abstained(
        "how long threads wait for a core was not sampled ('stepscope profile' samples "
        "it)");
  const Price price = waiting_price(run);
  const double waits = run.idle_per_step(price.total());
  if (run.share(waits) < kLeastWaiting || waits < run.least_ns())
    return cleared(fmt::format("the loop's thread waits {} a step ({}) for a core",
                               format_duration(waits), percent(run.share(waits))));
  return fired(contention_finding(run, price, waits));
}

}  // namespace stepscope::rules
