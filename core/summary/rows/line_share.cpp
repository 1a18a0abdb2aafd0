// SPDX-License-Identifier: Apache-2.0
#include "core/summary/rows/line_share.hpp"

#include <algorithm>

#include "core/summary/parts.hpp"

namespace stepscope {

std::string_view name_of(NoLine reason) {
  constexpr std::array<std::string_view, kNoLineCount> kNames = {
      "unexplained",    "launch_not_recorded", "lines_not_recorded",
      "backward_alone", "library_thread",      "silence",
      "no_frame",       "between_records"};
  return kNames[static_cast<std::size_t>(reason)];
}

std::vector<std::pair<NoLine, std::int64_t>> LineShare::reasons() const {
  std::vector<std::pair<NoLine, std::int64_t>> out;
  for (std::size_t i = 0; i < kNoLineCount; ++i) {
    if (without[i] > 0) out.emplace_back(static_cast<NoLine>(i), without[i]);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return out;
}

namespace summary_parts {
namespace {

constexpr std::int64_t kSilenceNs = 1'000'000;

class Reasons {
 public:
  Reasons(const Trace& trace, const Steps& steps)
      : trace_(trace), loop_(steps.thread), has_lines_(any_line()), is_backward_(inside_nodes()) {}

  NoLine of(const Segment& s) const {
    if (is_unexplained(s.cause) || s.cause == Cause::profiler) return NoLine::unexplained;
    const RangeId range = range_of(s);
    if (s.device_evidence != kNone && range == kNone) return NoLine::launch_not_recorded;
    if (!has_lines_) return NoLine::lines_not_recorded;
    if (range != kNone && is_backward_[range]) return NoLine::backward_alone;
    if (range != kNone && trace_.host_ranges().thread[range] != loop_)
      return NoLine::library_thread;
    if (range != kNone) return NoLine::no_frame;
    return s.time.length() > kSilenceNs ? NoLine::silence : NoLine::between_records;
  }

 private:
  bool any_line() const {
    const std::vector<SiteId>& site = trace_.host_ranges().site;
    return std::any_of(site.begin(), site.end(), [](SiteId id) { return id != kNone; });
  }

  // The record that shows the time, or the call that launched it.
  RangeId range_of(const Segment& s) const {
    if (s.device_evidence == kNone)
      return s.host_evidence < trace_.host_ranges().size() ? s.host_evidence : kNone;
    if (s.device_evidence >= trace_.device_ops().size()) return kNone;
    const CallId launch = trace_.launch_of(s.device_evidence);
    return launch == kNone ? kNone : trace_.calls().range[launch];
  }

  // Parents stand before their children, so one pass in row order hands it down.
  std::vector<bool> inside_nodes() const {
    const HostRanges& h = trace_.host_ranges();
    std::vector<bool> inside(h.size());
    for (RangeId r = 0; r < h.size(); ++r) {
      inside[r] =
          h.kind[r] == HostKind::backward_node || (h.parent[r] != kNone && inside[h.parent[r]]);
    }
    return inside;
  }

  const Trace& trace_;
  ThreadId loop_;
  bool has_lines_;
  std::vector<bool> is_backward_;  // by host range
};

}  // namespace

LineShare share_with_lines(const Trace& trace, const Steps& steps, const Partition& partition,
                           const Counting& counting) {
  const Reasons reasons(trace, steps);
  LineShare out;
  CountedTime counted(counting);
  for (const Segment& s : partition.segments) {
    const std::int64_t ns = counted.of(s.time);
    if (ns == 0) continue;
    out.wall_ns_total += ns;
    if (s.site != kNone) {
      out.with_line_ns_total += ns;
      if (s.is_sampled) out.sampled_ns_total += ns;
    } else {
      out.without[static_cast<std::size_t>(reasons.of(s))] += ns;
    }
  }
  const Samples& samples = trace.data().samples;
  CountedTime looked_at(counting);
  for (std::size_t row = 0; row < samples.size(); ++row) {
    const std::int64_t time = samples.time[row];
    if (samples.thread[row] == steps.thread && samples.site[row] != kNone)
      out.samples += looked_at.of({time, time + 1}) > 0 ? 1U : 0U;
  }
  return out;
}

}  // namespace summary_parts
}  // namespace stepscope
