// SPDX-License-Identifier: Apache-2.0
// tiny_h2d: a line makes many tiny tensors on the device one by one (torch.tensor([x],
// device=...)). Each is a copy of some bytes for which the host stops and waits.
//
//   fires where   copies of <= 4 KB from pageable memory, >= 8 a step from one line, and
//                 exposed + making + calling + idle >= least
//   exposed       device time of the copies with nothing else running
//   making        host time between the call before and the copy, with the device idle
//   calling       host time in the copies' calls, with the device idle
//   idle          what the wait in the copy leaves idle behind it (run_ahead.hpp)
#include "core/findings/rules/rules.hpp"

#include <fmt/format.h>

#include "core/findings/advice/advice.hpp"
#include "core/findings/host_time.hpp"
#include "core/findings/wait_lines.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

struct TinyCopies {
  explicit TinyCopies(const JudgedRun& run) : price(run) {}
  Price price;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  std::int64_t exposed = 0;
  std::vector<std::int64_t> idle;  // by segment: making and waiting
};

void add_making(const JudgedRun& run, const std::vector<bool>& tiny, TinyCopies& out) {
  for (const Preparing& part : preparing(run, tiny)) {
    const Upload& upload = run.calls.uploads[part.upload];
    out.idle[part.segment] += part.ns;
    out.price.add(upload.site, upload.phase, part.ns, {upload.range, upload.op});
  }
}

// The device idles while the host is in their calls.
void add_calling(const JudgedRun& run, const std::vector<bool>& tiny, TinyCopies& out) {
  std::size_t next = 0;
  for (std::size_t u = 0; u < tiny.size(); ++u) {
    const Upload& upload = run.calls.uploads[u];
    while (next < run.segments().size() && run.segments()[next].time.end <= upload.time.begin)
      ++next;
    if (!tiny[u]) continue;
    for (std::size_t i = next;
         i < run.segments().size() && run.segments()[i].time.begin < upload.time.end; ++i) {
      const Segment& s = run.segments()[i];
      if (!is_hidden_by_lead(s.cause) || !run.counts(s.time.begin)) continue;
      const std::int64_t ns =
          std::min(intersect(s.time, upload.time).length(), s.time.length() - out.idle[i]);
      if (ns <= 0) continue;
      out.idle[i] += ns;
      out.price.add(upload.site, upload.phase, ns, {upload.range, upload.op});
    }
  }
}

void add_waiting(const JudgedRun& run, const std::vector<bool>& is_tiny_op, TinyCopies& out) {
  const std::vector<HostWait>& waits = run.calls.waits;
  std::vector<bool> removed(waits.size());
  for (std::size_t i = 0; i < waits.size(); ++i)
    removed[i] = waits[i].op != kNone && is_tiny_op[waits[i].op];
  const RunAhead ahead = run_ahead(run, waits, removed);
  for (std::size_t i = 0; i < ahead.hidden.size(); ++i) {
    const Segment& s = run.segments()[i];
    const std::int64_t ns = std::min(ahead.hidden[i], s.time.length() - out.idle[i]);
    if (ns <= 0) continue;
    out.idle[i] += ns;
    out.price.add(s.site, s.phase, ns, {s.host_evidence, s.device_evidence});
  }
}

TinyCopies tiny_copies(const JudgedRun& run, const std::vector<bool>& tiny) {
  TinyCopies out(run);
  out.idle.assign(run.segments().size(), 0);
  std::vector<bool> is_tiny_op(run.trace.device_ops().size(), false);
  for (std::size_t u = 0; u < tiny.size(); ++u) {
    const Upload& upload = run.calls.uploads[u];
    if (!tiny[u] || !run.counts(upload.time.begin)) continue;
    is_tiny_op[upload.op] = true;
    ++out.count;
    out.bytes += upload.bytes;
  }
  add_making(run, tiny, out);
  add_calling(run, tiny, out);
  add_waiting(run, is_tiny_op, out);
  for (const Segment& s : run.segments()) {
    if (s.device_evidence == kNone || !is_device_busy(s.cause) || !is_tiny_op[s.device_evidence] ||
        !run.counts(s.time.begin))
      continue;
    out.exposed += s.time.length();
    out.price.add(s, s.time.length());
  }
  return out;
}

// The lines that make them.
std::vector<SiteId> sites_of(const JudgedRun& run, const std::vector<bool>& tiny) {
  std::map<SiteId, bool> sites;
  for (std::size_t u = 0; u < tiny.size(); ++u)
    if (tiny[u] && run.calls.uploads[u].site != kNone) sites[run.calls.uploads[u].site] = true;
  std::vector<SiteId> out;
  for (const auto& [site, is] : sites) out.push_back(site);
  return out;
}

Finding tiny_finding(const JudgedRun& run, const TinyCopies& copies,
                     const std::vector<SiteId>& sites, double idle, double caused) {
  Finding out = copies.price.finding(caused);
  out.count_per_step = run.count_per_step(copies.count);
  out.title = fmt::format(
      "{:.0f} copies of {:.0f} bytes to the device a step, one by one: making and waiting for them "
      "leaves the device idle for {}, and they are all that it does for {}",
      out.count_per_step, static_cast<double>(copies.bytes) / static_cast<double>(copies.count),
      format_duration(idle), format_duration(caused - idle));
  out.fixes = {{.kind = FixKind::merge_copies, .scope = scope_of(sites, copies.price)}};
  advise(Advice::tiny_h2d, run.language, out);
  out.falsified_by = fmt::format(
      "with the tensors made once before the loop the step does not become shorter by about {}",
      format_duration(caused));
  out.certainty = run.inflated ? Certainty::assumption : Certainty::inferred;
  return out;
}

}  // namespace

Judgement judge_tiny_h2d(const JudgedRun& run) {
  const std::vector<bool> tiny = tiny_uploads(run);
  const TinyCopies copies = tiny_copies(run, tiny);
  if (copies.count == 0)
    return cleared("no line makes eight or more tiny copies to the device in a step");
  std::int64_t idle = 0;
  for (const std::int64_t ns : copies.idle) idle += ns;
  const double idle_ns = run.idle_per_step(idle);
  const double caused = run.per_step(copies.exposed) + idle_ns;
  if (caused < run.least_ns()) {
    return cleared(fmt::format("{:.0f} tiny copies a step cost {} ({})",
                               run.count_per_step(copies.count), format_duration(caused),
                               percent(run.share(caused))));
  }
  Explained around;
  for (std::size_t i = 0; i < copies.idle.size(); ++i) around.emplace_back(i, copies.idle[i]);
  return fired(tiny_finding(run, copies, sites_of(run, tiny), idle_ns, caused), std::move(around));
}

}  // namespace stepscope::rules
