// SPDX-License-Identifier: Apache-2.0
#include "core/findings/all_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/support/duration.hpp"
#include "core/support/short_file.hpp"

namespace stepscope {
namespace {

constexpr double kLeastCommShare = 0.03;
constexpr std::size_t kMostPlaces = 3;
// From this many messages a step on, the way of each is worth saving; larger ones are no matter of
// their number.
constexpr double kManyMessages = 8, kLargeMessageBytes = 4e6;
// Gains were within a tenth of what balancing gave in programs on two and four GPUs and on CPUs
// (docs/measurements/ranks.md); the scatter of the steps alone is far less.
constexpr double kGainError = 0.1;

std::string percent(double share) {
  return fmt::format("{:.{}f} %", 100 * share, share < 0.1 ? 1 : 0);
}

std::string place_of(const JobReason& reason) {
  if (!reason.file.empty())
    return fmt::format("{}:{} ({})", short_file(reason.file), reason.line, name_of(reason.cause));
  return fmt::format("{} in {}", name_of(reason.cause),
                     reason.phase_path.empty() ? "no phase" : reason.phase_path);
}

std::string advice(const JobRank& late) {
  const Cause cause = late.reasons.front().cause;
  const std::string look = fmt::format("report --rank {}", late.rank);
  const LateBy part = late_by(late);
  if (part == LateBy::link && family_of(cause) == CauseFamily::communication)
    return fmt::format(
        "find out why data of rank {} takes longer than that of the others, after its host and "
        "device were ready ({}): its network card, cable or switch, a route by way of the host's "
        "memory, other traffic on its machine",
        late.rank, look);
  if (part == LateBy::device)
    return fmt::format(
        "find out why rank {} computes longer for the same step ({}): more work than the others "
        "get, or a slower device (its clocks stand under Device health)",
        late.rank, look);
  if (part == LateBy::link)
    return fmt::format("find out what rank {} copies more or more slowly than the others ({})",
                       late.rank, look);
  return fmt::format(
      "find out what rank {} does at this line that the others do not, or do sooner ({}), and take "
      "it out of the step or spread it over all ranks; overlapping communication does not help",
      late.rank, look);
}

// Says of each slow link how much it costs; "" where there is none.
std::string slow_links(const JobFacts& job) {
  std::string out;
  for (const JobLink& link : job.slow_links)
    out += fmt::format("; {}, which takes {:.1f} times as long as elsewhere for {} of it",
                       name_of(link), link.times_as_long,
                       format_duration(static_cast<double>(link.cost_ns_total) /
                                       static_cast<double>(job.steps_counted)));
  return out;
}

bool is_at_power_limit(const Summary& job) {
  return std::any_of(job.device_health.begin(), job.device_health.end(),
                     works_at_its_own_power_limit);
}

// A device at its power limit draws less while it waits, and computes at a higher clock for that. In
// a balanced job it would not wait. Dynamic power grows with the cube of the clock, so that the
// clock falls by at most the cube root of the share of the time that is then work once more.
double ns_that_lower_clocks_cost(const Summary& job, double wait_share) {
  const double busy_ns = static_cast<double>(job.partition.device_busy_ns_total) /
                         static_cast<double>(job.partition.steps_counted);
  return busy_ns * (1 / std::cbrt(1 - std::min(wait_share, 0.9)) - 1);
}

Finding late_finding(const Summary& job, const JobRank& late) {
  const JobFacts& facts = *job.job;
  const auto steps = static_cast<double>(facts.steps_counted);
  const double step_ns = static_cast<double>(facts.wall_ns_total) / steps;
  const double gain = static_cast<double>(late.gain_ns_total) / steps;
  const auto cost = static_cast<double>(late.costs_ns_total);
  const auto others = static_cast<double>(facts.ranks.size() - 1);
  Finding out;
  out.id = "late_rank";
  out.share = gain / step_ns;
  out.severity = severity_of(out.share);
  out.title = fmt::format(
      "rank {} comes late and makes all ranks wait, for {} a step ({}); {} of that for {}",
      late.rank, format_duration(gain), percent(out.share),
      percent(static_cast<double>(late.reasons.front().ns_total) / cost),
      place_of(late.reasons.front()));
  out.phase = late.reasons.front().phase_path;
  for (const JobReason& reason : late.reasons) {
    if (reason.file.empty() || out.places.size() == kMostPlaces) continue;
    out.places.push_back(
        {.file = reason.file,
         .line = reason.line,
         .function = reason.function,
         .caused_ns_per_step = static_cast<double>(reason.ns_total) / steps / others});
  }
  out.count_per_step = static_cast<double>(late.times_last) / steps;
  out.caused_ns_per_step = cost / steps / others;
  out.ceiling_ns_per_step = gain;
  const double error = late_gain_error_ns(facts, late);
  Forecast forecast{.ns_per_step = step_ns - gain,
                    .low_ns_per_step = std::max(0.0, step_ns - gain - error),
                    .high_ns_per_step = std::min(step_ns, step_ns - gain + error)};
  forecast.ceiling_ns_per_step = forecast.low_ns_per_step;
  forecast.assumptions = {fmt::format("rank {} comes when the next rank does", late.rank)};
  if (is_at_power_limit(job)) {
    const double lost_ns = ns_that_lower_clocks_cost(job, cost / steps / others / step_ns);
    forecast.high_ns_per_step = std::min(step_ns, forecast.high_ns_per_step + lost_ns);
    forecast.assumptions.push_back("the clocks stay as they are");
    out.title += fmt::format(
        "; without the wait, devices at their power limit may run at lower clocks, which takes up "
        "to {} of the gain",
        format_duration(lost_ns));
  }
  out.forecast = forecast;
  out.fix = advice(late);
  out.falsified_by = fmt::format(
      "with that line taken out of rank {} the step does not become shorter by about {}", late.rank,
      format_duration(gain));
  out.certainty = Certainty::inferred;
  return out;
}

void judge_late_ranks(const Summary& job, const std::string& undecided, Findings& out) {
  if (!undecided.empty()) {
    out.abstained.push_back({"late_rank", undecided});
    return;
  }
  bool any = false;
  std::int64_t waits = 0;
  for (const JobRank& rank : job.job->ranks) {
    waits += rank.waits_ns_total;
    if (!rank.is_late || rank.reasons.empty()) continue;
    any = true;
    out.found.push_back(late_finding(job, rank));
  }
  if (any) return;
  const double share =
      static_cast<double>(waits) / static_cast<double>(job.partition.wall_ns_total);
  out.cleared.push_back(
      {"late_rank",
       fmt::format("the ranks wait {} of their time for each other, in turns: none is later than "
                   "the others by more than chance and 1 % of the step",
                   percent(share))});
}

// Returns how many messages a rank sends in a step, where they are many and not known to be large; else 0.
// Those of a process group on the host are operations of PyTorch's (c10d), whose bytes are not known.
double many_small_messages(const Summary& job) {
  double messages = 0, bytes = 0;
  for (const TransferRow& row : job.transfers) {
    messages += static_cast<double>(row.calls_total);
    bytes += static_cast<double>(row.bytes_total);
  }
  if (bytes > kLargeMessageBytes * messages) return 0;
  if (messages == 0)
    for (const WorkCount& count : job.counts)
      for (const CountPlace& place : count.places)
        if (count.name == "cpu_ops" && place.operation.starts_with("c10d::"))
          messages += static_cast<double>(place.total);
  messages /= static_cast<double>(job.partition.steps_counted);
  return messages >= kManyMessages ? messages : 0;
}

void judge_transfers(const Summary& job, Findings& out) {
  std::int64_t transfer = 0;
  for (const JobRank& rank : job.job->ranks) transfer += rank.transfer_ns_total;
  const double share =
      static_cast<double>(transfer) / static_cast<double>(job.partition.wall_ns_total);
  const double ns =
      static_cast<double>(transfer) / static_cast<double>(job.partition.steps_counted);
  std::int64_t waits = 0;  // for messages between two ranks: no collective is behind them
  for (const LineRow& line : job.lines) waits += line.cause == Cause::comm_wait ? line.ns_total : 0;
  const auto all = static_cast<double>(job.partition.wall_ns_total);
  if (share < kLeastCommShare && static_cast<double>(waits) >= kLeastCommShare * all) {
    const double each =
        static_cast<double>(waits) / static_cast<double>(job.partition.steps_counted);
    out.abstained.push_back(
        {"exposed_comm",
         fmt::format(
             "the ranks wait {} a step ({}) for messages from one rank to another, which are "
             "not matched; in a pipeline more micro-batches and stages of equal length make "
             "that less",
             format_duration(each), percent(static_cast<double>(waits) / all))});
    return;
  }
  if (share < kLeastCommShare) {
    out.cleared.push_back(
        {"exposed_comm",
         fmt::format("not worth fixing: {} a step ({}) of communication is not hidden behind "
                     "compute and waits for no rank",
                     format_duration(ns), percent(share))});
    return;
  }
  Finding finding;
  finding.id = "exposed_comm";
  finding.share = share;
  finding.severity = severity_of(share);
  finding.title = fmt::format(
      "communication runs alone for {} a step ({}) on the ranks' mean, without the time in which "
      "it waits for a late rank{}",
      format_duration(ns), percent(share), slow_links(*job.job));
  for (const LineRow& line : job.lines) {
    if (line.cause != Cause::comm_transfer || finding.places.size() == kMostPlaces) continue;
    finding.places.push_back(
        {.file = line.file,
         .line = line.line,
         .kind = line.kind,
         .function = line.function,
         .caused_ns_per_step = static_cast<double>(line.ns_total) /
                               static_cast<double>(job.partition.steps_counted)});
  }
  finding.caused_ns_per_step = finding.ceiling_ns_per_step = ns;
  finding.fix =
      "overlap it with compute: smaller gradient buckets, prefetching the next layer's "
      "parameters, communicating once for several batches (no_sync, if it is not in use); or send "
      "less, in "
      "bf16";
  if (const double messages = many_small_messages(job); messages > 0) {
    finding.title += fmt::format("; {} messages a step", count_text(messages));
    finding.fix =
        "send fewer and larger messages, for each pays for its own way: all gradients as one flat "
        "tensor, or DistributedDataParallel, which sends them in buckets beside the backward pass; "
        "or send less, in bf16";
    finding.code_hint =
        "flat = torch.cat([p.grad.flatten() for p in model.parameters()])\n"
        "dist.all_reduce(flat)               # once, not for each parameter";
  }
  if (!job.job->slow_links.empty())
    finding.fix =
        "see to the slow link first: its network card, cable or switch, a route by way of "
        "the host's memory, other traffic; then " +
        finding.fix;
  finding.falsified_by = fmt::format(
      "one process alone with the same batch (no communication) does not have a step shorter by "
      "about {}",
      format_duration(ns));
  finding.certainty = Certainty::trace_verified;
  out.found.push_back(std::move(finding));
}

// Findings with which the job gains nothing go to those that are listed as such.
void limit_all(const Summary& job, std::span<const Summary> ranks, std::int32_t rank,
               Findings& out) {
  for (Finding& finding : out.found) limit_to_job(job, ranks, rank, finding);
  const auto gives_nothing =
      std::stable_partition(out.found.begin(), out.found.end(),
                            [](const Finding& finding) { return finding.no_gain.empty(); });
  std::move(gives_nothing, out.found.end(), std::back_inserter(out.no_gain));
  out.found.erase(gives_nothing, out.found.end());
}

}  // namespace

double late_gain_error_ns(const JobFacts& job, const JobRank& late) {
  const double gain =
      static_cast<double>(late.gain_ns_total) / static_cast<double>(job.steps_counted);
  return std::hypot(static_cast<double>(late.gain_error_ns), kGainError * gain);
}

Findings find_in_job(const Summary& job, std::span<const Summary> ranks, std::int32_t rank,
                     Findings of_rank, const std::string& undecided) {
  Findings out = std::move(of_rank);
  limit_all(job, ranks, rank, out);
  for (auto* list : {&out.found, &out.no_gain}) {
    std::erase_if(*list, [](const Finding& f) { return f.id == "exposed_comm"; });
    for (Finding& finding : *list) finding.title = fmt::format("rank {}: {}", rank, finding.title);
  }
  for (auto* list : {&out.cleared, &out.abstained})
    std::erase_if(*list, [](const NotFound& n) { return n.id == "exposed_comm"; });
  Findings of_job;
  judge_late_ranks(job, undecided, of_job);
  judge_transfers(job, of_job);
  out.found.insert(out.found.begin(), of_job.found.begin(), of_job.found.end());
  const double step_ns = job.partition.wall_ns_per_step();
  std::stable_sort(out.found.begin(), out.found.end(),
                   [step_ns](const Finding& a, const Finding& b) {
                     if (a.is_of_machine() != b.is_of_machine()) return a.is_of_machine();
                     return a.gain_ns_per_step(step_ns) > b.gain_ns_per_step(step_ns);
                   });
  out.cleared.insert(out.cleared.begin(), of_job.cleared.begin(), of_job.cleared.end());
  out.abstained.insert(out.abstained.begin(), of_job.abstained.begin(), of_job.abstained.end());
  return out;
}

}  // namespace stepscope
