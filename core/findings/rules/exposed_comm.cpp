// SPDX-License-Identifier: Apache-2.0
// exposed_comm: communication runs while no compute does.
//
//   fires where   exposed >= 3 % of the step (and >= least)
//   exposed       time that comm.transfer and comm.late_rank own: compute has priority in the
//                 partition, so what hides behind it is not in it
//   else          cleared as not worth fixing, with what hides and what does not
//   Where the traces of all ranks are at hand, waiting for a late rank is separate: no overlap
//   helps there.
#include "core/findings/rules/rules.hpp"

#include <fmt/format.h>

#include "core/findings/advice/advice.hpp"
#include "core/findings/wait_lines.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr double kExposedCommLeastShare = 0.03;

bool is_comm(Cause cause) {
  return cause == Cause::comm_transfer || cause == Cause::comm_late_rank;
}

struct CommTime {
  explicit CommTime(const JudgedRun& run) : price(run) {}
  Price price;
  std::int64_t late = 0;    // the part of the exposed time that waits for a rank that came late
  std::int64_t device = 0;  // all of it, hidden or not; overlaps counted twice
  std::uint64_t ops = 0;
};

CommTime comm_time(const JudgedRun& run) {
  CommTime out(run);
  const DeviceOps& d = run.trace.device_ops();
  for (DeviceOpId op = 0; op < d.size(); ++op) {
    if (!is_comm(run.attribution.ops[op].cause) || !run.counts_op(op)) continue;
    ++out.ops;
    out.device += d.end[op] - d.begin[op];
  }
  for (const Segment& s : run.segments()) {
    if (!is_comm(s.cause) || !run.counts(s.time.begin)) continue;
    out.price.add(s, s.time.length());
    if (s.cause == Cause::comm_late_rank) out.late += s.time.length();
  }
  return out;
}

// Returns the rank that the transfers waited for longest; -1: not known.
std::int32_t latest_rank(const JudgedRun& run) {
  std::int32_t rank = -1;
  std::int64_t most = 0;
  for (const TransferRow& row : run.summary.transfers) {
    if (row.latest_rank_ns_total <= most) continue;
    most = row.latest_rank_ns_total;
    rank = row.latest_rank;
  }
  return rank;
}

void advise_on_comm(const JudgedRun& run, const CommTime& time, Finding& out) {
  const std::int32_t rank = latest_rank(run);
  if (2 * time.late > time.price.total() && rank >= 0) {
    out.fix = fmt::format(
        "most of it waits for rank {}: find out what that rank does instead (report --rank {}), "
        "for example a longer input, an evaluation or a slower device; overlap does not help",
        rank, rank);
    return;
  }
  advise(Advice::exposed_comm, run.language, out);
}

Finding comm_finding(const JudgedRun& run, const CommTime& time, double exposed) {
  Finding out = time.price.finding(exposed);
  out.count_per_step = run.count_per_step(time.ops);
  out.title = fmt::format("communication runs alone for {} a step ({}), of {} in all",
                          format_duration(exposed), percent(run.share(exposed)),
                          format_duration(run.per_step(time.device)));
  if (time.late > 0)
    out.title += fmt::format("; {} of it waits for a rank that comes late",
                             format_duration(run.per_step(time.late)));
  Fix overlap;
  overlap.kind = FixKind::overlap_transfer;
  out.fixes = {overlap};
  advise_on_comm(run, time, out);
  out.falsified_by = fmt::format(
      "one process alone with the same batch (no communication) does not have a step shorter by "
      "about {}",
      format_duration(exposed));
  out.certainty = Certainty::trace_verified;
  return out;
}

}  // namespace

Judgement judge_exposed_comm(const JudgedRun& run) {
  const CommTime time = comm_time(run);
  if (time.ops == 0) return cleared("no communication between devices");
  const double exposed = run.per_step(time.price.total());
  if (run.weight(exposed) < kExposedCommLeastShare || exposed < run.least_ns()) {
    return cleared(
        fmt::format("not worth fixing: of {} of communication a step {} ({}) is not hidden "
                    "behind compute",
                    format_duration(run.per_step(time.device)), format_duration(exposed),
                    percent(run.share(exposed))));
  }
  return fired(comm_finding(run, time, exposed));
}

}  // namespace stepscope::rules
