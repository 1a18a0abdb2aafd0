// SPDX-License-Identifier: Apache-2.0
// host_sync: the loop waits for the device (.item(), .cpu(), print of a tensor, a branch on one,
// torch.cuda.synchronize), and the device then has nothing to do until the host is back.
//
//   fires where   cost(waits) >= least          least = max(1 % of the step, 3 x its noise)
//   cost(w)       the device's idle time behind the waits that a host would have hidden that had
//                 not waited there (run_ahead.hpp), never how long the call took; and, where that is
//                 1 % of the step, the time in which the device does nothing but copy what is read
//   of lines      those with >= 10 % of it or >= 1 % of the step; the others stay as they are, and
//                 are cleared with what they wait and what that costs. Where the trace does not
//                 explain why the device idled in them, they are not judged
#include "core/findings/rules/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/findings/advice/advice.hpp"
#include "core/findings/wait_lines.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr double kWorthOfTotal = 0.1;
constexpr double kWorthOfStep = 0.01;
constexpr std::size_t kMostCleared = 3;

bool is_worth(const JudgedRun& run, const WaitLine& line, std::int64_t total) {
  return static_cast<double>(line.caused) >= kWorthOfTotal * static_cast<double>(total) ||
         run.weight(run.idle_per_step(line.caused)) >= kWorthOfStep;
}

// Time within the line's waits in which nobody knows what the device waited for.
std::int64_t unknown_within(const JudgedRun& run, const WaitLine& line) {
  const std::vector<Segment>& segments = run.segments();
  std::int64_t out = 0;
  for (const std::size_t w : line.waits) {
    const Interval time = run.calls.waits[w].time;
    auto next = std::upper_bound(segments.begin(), segments.end(), time.begin,
                                 [](std::int64_t t, const Segment& s) { return t < s.time.end; });
    for (; next != segments.end() && next->time.begin < time.end; ++next)
      if (next->cause == Cause::unknown) out += intersect(next->time, time).length();
  }
  return out;
}

std::string why_unclear(const JudgedRun& run, const WaitLine& line, double unknown) {
  return fmt::format(
      "{}: {} a step, {} in all, of which {} have no explanation: the trace does not say what the "
      "device waited for",
      place_text(run, line), counted_text(run, line.count, "wait"),
      format_duration(run.per_step(line.waited)), format_duration(unknown));
}

std::string why_cheap(const JudgedRun& run, const WaitLine& line) {
  const double waited = run.per_step(line.waited);
  const double caused = run.idle_per_step(line.caused);
  std::string out =
      fmt::format("{}: {} a step", place_text(run, line), counted_text(run, line.count, "wait"));
  if (waited > 2 * caused && run.weight(waited) >= kWorthOfStep)
    return fmt::format("{}, {} in all, but only {} of idle device behind them: it has work queued",
                       out, format_duration(waited), format_duration(caused));
  if (run.weight(caused) >= kWorthOfStep)
    return fmt::format(
        "{}, {} in all, and {} of idle device behind them: less than steps vary by, so not certain",
        out, format_duration(waited), format_duration(caused));
  return fmt::format("{}, {} in all: the host hardly waits there", out, format_duration(waited));
}

std::vector<bool> in_lines(const std::vector<HostWait>& waits, const std::vector<bool>& chosen,
                           const std::vector<WaitLine>& lines) {
  std::vector<bool> out(waits.size(), false);
  for (const WaitLine& line : lines)
    for (const std::size_t wait : line.waits) out[wait] = chosen[wait];
  return out;
}

// This holds what the waits cost, and how much of that is copying what they read.
struct Cost {
  RunAhead ahead;
  std::int64_t copies = 0;
  std::vector<std::size_t> segments;  // those of the copies
};

Cost cost_of(const JudgedRun& run, const std::vector<HostWait>& waits,
             const std::vector<bool>& removable) {
  Cost out{.ahead = run_ahead(run, waits, removable)};
  std::map<DeviceOpId, std::size_t> reads;
  for (std::size_t w = 0; w < waits.size(); ++w)
    if (removable[w] && waits[w].kind == WaitKind::read && waits[w].op != kNone)
      reads[waits[w].op] = w;
  std::vector<std::int64_t> by_wait(waits.size(), 0);
  for (std::size_t i = 0; i < run.segments().size(); ++i) {
    const Segment& s = run.segments()[i];
    if (s.cause != Cause::copy_d2h || !run.counts(s.time.begin)) continue;
    const auto read = reads.find(s.device_evidence);
    if (read == reads.end()) continue;
    by_wait[read->second] += s.time.length();
    out.copies += s.time.length();
    out.segments.push_back(i);
  }
  if (run.weight(run.idle_per_step(out.copies)) < kWorthOfStep)
    return {.ahead = std::move(out.ahead), .copies = 0, .segments = {}};
  for (std::size_t w = 0; w < waits.size(); ++w) out.ahead.caused[w] += by_wait[w];
  out.ahead.total += out.copies;
  return out;
}

Finding sync_finding(const JudgedRun& run, const Cost& cost, const std::vector<WaitLine>& lines) {
  const RunAhead& ahead = cost.ahead;
  const std::vector<HostWait>& waits = run.calls.waits;
  Price price(run);
  std::uint64_t count = 0;
  std::vector<SiteId> sites;
  for (const WaitLine& line : lines) {
    count += line.count;
    if (line.site != kNone) sites.push_back(line.site);
    for (const std::size_t w : line.waits)
      price.add(line.site, waits[w].phase, ahead.caused[w], {waits[w].range, kNone});
  }
  const double caused = run.idle_per_step(ahead.total);
  Finding out = price.finding(caused);
  out.count_per_step = run.count_per_step(count);
  out.title = fmt::format(
      "the host waits for the device {} a step; behind that the device idles {} a step that a host "
      "running ahead would have hidden",
      counted_text(run, count, "time"),
      format_duration(run.idle_per_step(ahead.total - cost.copies)));
  if (cost.copies > 0)
    out.title += fmt::format(", and for {} it does nothing but copy what is read",
                             format_duration(run.idle_per_step(cost.copies)));
  out.shows_as = shown_elsewhere(run, ahead);
  out.fixes = {{.kind = FixKind::remove_sync, .scope = scope_of(sites, price)}};
  advise(Advice::host_sync, run.language, out);
  out.falsified_by = fmt::format(
      "without these waits (for a test: delete the reads) the step does not become shorter by "
      "about "
      "{}, or the next wait behind them becomes longer by as much",
      format_duration(caused));
  out.certainty = run.inflated ? Certainty::assumption : Certainty::inferred;
  return out;
}

}  // namespace

Judgement judge_host_sync(const JudgedRun& run) {
  const std::vector<HostWait>& waits = run.calls.waits;
  std::vector<bool> removable(waits.size());
  for (std::size_t i = 0; i < waits.size(); ++i) removable[i] = waits[i].kind != WaitKind::upload;
  Cost cost = cost_of(run, waits, removable);
  const std::vector<WaitLine> lines = wait_lines(run, waits, removable, cost.ahead);
  if (lines.empty()) return cleared("the loop waits for the device nowhere in its steps");

  std::vector<WaitLine> costly, cheap;
  for (const WaitLine& line : lines)
    (is_worth(run, line, cost.ahead.total) ? costly : cheap).push_back(line);
  if (!cheap.empty() && !costly.empty()) {
    removable = in_lines(waits, removable, costly);
    cost = cost_of(run, waits, removable);
    costly = wait_lines(run, waits, removable, cost.ahead);
  }
  if (run.idle_per_step(cost.ahead.total) < run.least_ns()) {
    costly.clear();
    cheap = lines;
  }
  Judgement out;
  if (!costly.empty()) {
    out = fired(sync_finding(run, cost, costly), explained_by_leads(run, cost.ahead));
    for (const auto& copy : whole_segments(run, cost.segments)) out.explained.push_back(copy);
  }
  for (std::size_t i = 0; i < cheap.size() && i < kMostCleared; ++i) {
    const double unknown = run.per_step(unknown_within(run, cheap[i]));
    if (unknown >= run.least_ns())
      out.abstained.push_back(why_unclear(run, cheap[i], unknown));
    else
      out.cleared.push_back(why_cheap(run, cheap[i]));
  }
  return out;
}

}  // namespace stepscope::rules
