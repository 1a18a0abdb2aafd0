// SPDX-License-Identifier: Apache-2.0
// pageable_copy: data goes to the device from ordinary (pageable) memory. The driver stages it
// through a buffer of its own at a fraction of the bus's rate, and the host waits meanwhile.
//
//   fires where   exposed + idle >= least: a small copy that the host waits for costs its lead
//   exposed       time that copy.h2d.pageable owns: the device copies and does nothing else
//   idle          the device's idle time behind the copies that a host would have hidden that had
//                 not waited in them (run_ahead.hpp)
//   Copies that tiny_h2d counts are not in it.
#include "core/findings/rules/rules.hpp"

#include <fmt/format.h>

#include "core/findings/advice/advice.hpp"
#include "core/findings/host_time.hpp"
#include "core/findings/wait_lines.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

struct PageableCopies {
  explicit PageableCopies(const JudgedRun& run) : price(run) {}
  Price price;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  std::uint64_t bytes_of_unknown_memory = 0;
  std::int64_t device_ns = 0;
  std::int64_t exposed = 0;
  std::int64_t idle = 0;
};

// A copy to the device that is large enough to count, from whichever memory.
bool is_upload(const JudgedRun& run, const std::vector<bool>& is_tiny_op, DeviceOpId op) {
  const DeviceOps& d = run.trace.device_ops();
  return d.copy_kind[op] == CopyKind::host_to_device && d.bytes[op] != kUnknownBytes &&
         !is_tiny_op[op] && run.counts_op(op);
}

// All of the process, also those of prefetching threads: the device is what they share.
void add_copies(const JudgedRun& run, const std::vector<bool>& is_tiny_op, PageableCopies& out) {
  const DeviceOps& d = run.trace.device_ops();
  for (DeviceOpId op = 0; op < d.size(); ++op) {
    if (!is_upload(run, is_tiny_op, op)) continue;
    if (d.source_memory[op] == MemoryKind::unknown) out.bytes_of_unknown_memory += d.bytes[op];
    if (d.source_memory[op] != MemoryKind::pageable) continue;
    ++out.count;
    out.bytes += d.bytes[op];
    out.device_ns += d.end[op] - d.begin[op];
  }
}

void add_exposed(const JudgedRun& run, const std::vector<bool>& is_tiny_op, PageableCopies& out) {
  for (const Segment& s : run.segments()) {
    if (s.cause != Cause::copy_h2d_pageable || !run.counts(s.time.begin)) continue;
    if (s.device_evidence != kNone && is_tiny_op[s.device_evidence]) continue;
    out.exposed += s.time.length();
    out.price.add(s, s.time.length());
  }
}

RunAhead add_idle(const JudgedRun& run, const std::vector<bool>& is_tiny_op, PageableCopies& out) {
  const std::vector<HostWait>& waits = run.calls.waits;
  std::vector<bool> removed(waits.size());
  for (std::size_t i = 0; i < waits.size(); ++i)
    removed[i] = waits[i].kind == WaitKind::upload && !is_tiny_op[waits[i].op];
  RunAhead ahead = run_ahead(run, waits, removed);
  for (std::size_t i = 0; i < waits.size(); ++i)
    out.price.add(waits[i].site, waits[i].phase, ahead.caused[i], {waits[i].range, kNone});
  out.idle = ahead.total;
  return ahead;
}

std::string copies_text(const JudgedRun& run, std::uint64_t count) {
  const double each = run.count_per_step(count);
  return each == 1 ? "1 copy" : fmt::format("{:.3g} copies", each);
}

Finding copy_finding(const JudgedRun& run, const PageableCopies& copies, const RunAhead& ahead,
                     double caused) {
  Finding out = copies.price.finding(caused);
  out.count_per_step = run.count_per_step(copies.count);
  const double bytes = run.count_per_step(copies.bytes);
  const double rate = copies.device_ns > 0 ? static_cast<double>(copies.bytes) /
                                                 static_cast<double>(copies.device_ns)
                                           : 0;
  out.title = fmt::format(
      "{} a step from pageable memory ({} at {:.1f} GB/s): the device does nothing else for "
      "{} "
      "and idles {} behind them",
      copies_text(run, copies.count), megabytes_text(bytes), rate,
      format_duration(run.per_step(copies.exposed)),
      format_duration(run.idle_per_step(copies.idle)));
  out.shows_as = shown_elsewhere(run, ahead);
  out.fixes = {{.kind = FixKind::pin_memory,
                .scope = scope_of(copies.price.largest_sites(0.02), copies.price)}};
  advise(Advice::pageable_copy, run.language, out);
  out.falsified_by = fmt::format(
      "the same copies from pinned memory with non_blocking=True do not make the step shorter by "
      "up to {}",
      format_duration(caused));
  out.certainty = run.inflated && copies.idle > copies.exposed ? Certainty::assumption
                  : copies.idle > copies.exposed               ? Certainty::inferred
                                                               : Certainty::trace_verified;
  return out;
}

std::vector<bool> tiny_ops(const JudgedRun& run) {
  std::vector<bool> out(run.trace.device_ops().size(), false);
  const std::vector<bool> tiny = tiny_uploads(run);
  for (std::size_t u = 0; u < tiny.size(); ++u)
    if (tiny[u]) out[run.calls.uploads[u].op] = true;
  return out;
}

}  // namespace

Judgement judge_pageable_copy(const JudgedRun& run) {
  PageableCopies copies(run);
  const std::vector<bool> tiny = tiny_ops(run);
  add_copies(run, tiny, copies);
  if (copies.count == 0 && copies.bytes_of_unknown_memory > 0)
    return abstained("from which memory copies come was not recorded");
  if (copies.count == 0) return cleared("no larger copy to the device from pageable memory");
  add_exposed(run, tiny, copies);
  const RunAhead ahead = add_idle(run, tiny, copies);
  const double caused = run.per_step(copies.exposed) + run.idle_per_step(copies.idle);
  if (caused < run.least_ns()) {
    return cleared(fmt::format("{} a step from pageable memory cost {} ({})",
                               megabytes_text(run.count_per_step(copies.bytes)),
                               format_duration(caused), percent(run.share(caused))));
  }
  return fired(copy_finding(run, copies, ahead, caused), explained_by_leads(run, ahead));
}

}  // namespace stepscope::rules
