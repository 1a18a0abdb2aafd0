// SPDX-License-Identifier: Apache-2.0
#include "core/report/wording/trust.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/support/duration.hpp"

namespace stepscope {
namespace {

constexpr double kGoodLinkRate = 0.95;
constexpr double kGoodLineShare = 0.9;
constexpr double kLeastShareTold = 0.005;

// Returns what would have recorded lines, which depends on who recorded the rest.
std::string_view lines_not_recorded(std::string_view source) {
  if (source == "kineto")
    return "no Python frame is in the trace (torch.profiler's with_stack=True records them)";
  if (source == "nsys") return "an export of Nsight Systems holds no lines";
  return "no Python frame is in the trace (--native-lines records those of C++)";
}

std::string_view meaning_of(NoLine reason, std::string_view source) {
  switch (reason) {
    case NoLine::unexplained:
      return "without explanation";
    case NoLine::launch_not_recorded:
      return "device work whose launch was not recorded";
    case NoLine::lines_not_recorded:
      return lines_not_recorded(source);
    case NoLine::backward_alone:
      return "backward work whose forward was not recorded";
    case NoLine::library_thread:
      return "threads that run no Python";
    case NoLine::silence:
      return "silences of over 1 ms";
    case NoLine::no_frame:
      return "records made at no Python frame";
    case NoLine::between_records:
      break;
  }
  return "short gaps between records";
}

std::string range_of(std::int64_t first, std::int64_t last) {
  return first == last ? fmt::format("step {}", first) : fmt::format("steps {}-{}", first, last);
}

constexpr std::size_t kMostRanges = 4;  // step ranges that are listed for one reason

struct Reason {
  std::string text;
  std::vector<std::string> ranges;
};

Reason& reason_of(std::vector<Reason>& reasons, std::string_view text) {
  const auto known = std::find_if(reasons.begin(), reasons.end(),
                                  [&](const Reason& reason) { return reason.text == text; });
  return known != reasons.end() ? *known : reasons.emplace_back(Reason{std::string(text), {}});
}

// Neighbours with the same reason stand together.
std::vector<Reason> reasons_of(const Summary& summary) {
  const std::vector<Step>& list = summary.steps.list;
  std::vector<bool> told(list.size(), false);
  for (const std::uint32_t row : summary.counted) told[row] = true;
  for (std::size_t i = 0; i < std::min<std::size_t>(list.size(), summary.steps.warm_up.steps); ++i)
    if (list[i].wall_known) told[i] = true;  // warm_up_text tells of them
  const auto why = [&](std::size_t row) -> std::string_view {
    if (!list[row].steady) return list[row].why_not_steady;
    if (summary.long_steps.left_out && !list[row].window.empty()) return "long, left out as asked";
    return list[row].window.empty() ? "over before the work of an earlier step was"
                                    : "the trace ends first";
  };
  std::vector<Reason> reasons;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (told[i]) continue;
    std::size_t last = i;
    while (last + 1 < list.size() && !told[last + 1] && why(last + 1) == why(i)) ++last;
    reason_of(reasons, why(i)).ranges.push_back(range_of(list[i].id, list[last].id));
    i = last;
  }
  return reasons;
}

// "step 0 (first step); steps 9-20, steps 29-40 and 9 more (not recorded, by plan)"
std::string steps_not_counted(const Summary& summary) {
  std::string out;
  for (const Reason& reason : reasons_of(summary)) {
    const std::size_t shown = std::min(kMostRanges, reason.ranges.size());
    out += fmt::format("{}{}", out.empty() ? "" : "; ",
                       fmt::join(reason.ranges.begin(),
                                 reason.ranges.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
    if (reason.ranges.size() > shown)
      out += fmt::format(" and {} more", reason.ranges.size() - shown);
    out += fmt::format(" ({})", reason.text);
  }
  return out;
}

// "6.4 %, 95 % within 5.9 to 7.0 %"
std::string added(const Overhead& overhead) {
  return fmt::format("{:.1f} %, 95 % within {:.1f} to {:.1f} %", 100 * (overhead.ratio - 1),
                     100 * (overhead.low - 1), 100 * (overhead.high - 1));
}

// Returns the text on what stays. It cannot make a step faster: an interval below 1 altogether
// measured something else.
std::string left_text(const Overhead& left) {
  if (left.high < 1) return "what stays while off: not measured (the host's pace drifted)";
  return fmt::format("left while off {}, {} steps before", added(left), left.pairs);
}

// "overhead 0.31 ms (recording 6.4 %, 95 % within 5.9 to 7.0 %, 40 windows; left while off 2.0 %,
// ...)": of the step without recording, where windows measured it.
TrustFact overhead_fact(const StepScale& scale) {
  const Trust& t = scale.summary.trust;
  if (!t.overhead_ns_per_step) return {"overhead not measured", true, false};
  const double overhead = *t.overhead_ns_per_step;
  if (t.overhead) {
    std::string text =
        fmt::format("overhead {} (recording {}, {} windows", format_duration(overhead),
                    added(*t.overhead), t.overhead->pairs);
    if (t.left) text += "; " + left_text(*t.left);
    return {text + ")"};
  }
  return {fmt::format("overhead {} ({})", format_duration(overhead),
                      format_share(scale.wall_ns > 0 ? overhead / scale.wall_ns : 0)),
          overhead <= 0.05 * scale.wall_ns};
}

// " (61.2 % recorded, 38.8 % by 412 samples)"
std::string how_known(const LineShare& lines) {
  if (lines.sampled_ns_total == 0) return "";
  const double sampled =
      static_cast<double>(lines.sampled_ns_total) / static_cast<double>(lines.wall_ns_total);
  return fmt::format(" ({} recorded, {} by {} sample{})", format_share(lines.share() - sampled),
                     format_share(sampled), format_count(static_cast<double>(lines.samples)),
                     lines.samples == 1 ? "" : "s");
}

}  // namespace

std::vector<TrustFact> trust_facts(const StepScale& scale) {
  const Trust& t = scale.summary.trust;
  std::vector<TrustFact> out = {
      {fmt::format("unknown {:.2f} %", 100 * t.unknown_share), t.unknown_share <= kUnknownBudget},
      {fmt::format("dropped {}", t.dropped), t.dropped == 0},
      {fmt::format("without timestamp {}", t.zero_timestamps), t.zero_timestamps == 0}};
  if (t.lost_chunks > 0)
    out.push_back({fmt::format("damaged or lost chunks {}", t.lost_chunks), false});
  if (t.link_rate)
    out.push_back({"lines found " + format_share(*t.link_rate), *t.link_rate >= kGoodLinkRate});
  if (t.lines.wall_ns_total > 0) {
    const double share = t.lines.share();
    out.push_back({format_share(share) + " of the time at a line" + how_known(t.lines),
                   share >= kGoodLineShare});
  }
  out.push_back(overhead_fact(scale));
  return out;
}

std::string without_line_text(const StepScale& scale) {
  const LineShare& lines = scale.summary.trust.lines;
  std::string out;
  for (const auto& [reason, ns] : lines.reasons()) {
    const double share = static_cast<double>(ns) / static_cast<double>(lines.wall_ns_total);
    if (share < kLeastShareTold) break;
    out += fmt::format("{} {} {}", out.empty() ? "at no line:" : ",", format_share(share),
                       meaning_of(reason, scale.summary.run.source));
  }
  return out;
}

std::string steps_text(const StepScale& scale) {
  const Steps& s = scale.summary.steps;
  std::string text = s.how.empty() ? fmt::format("{} found", s.list.size()) : s.how;
  if (!scale.has_steps) text = "none found" + (s.how.empty() ? "" : ": " + s.how);
  if (!scale.has_steps && !scale.summary.trust.nothing_recorded.empty())
    text = "none found: nothing was recorded";
  if (s.confidence > 0) text += fmt::format(" (confidence {:.0f} %)", 100 * s.confidence);
  const std::string missing = scale.has_steps ? steps_not_counted(scale.summary) : "";
  if (!missing.empty()) text += ". Not counted: " + missing;
  return text;
}

std::string recorder_text(const RecorderCost& cost) {
  return fmt::format("the recorder's own threads took {} of a core, {:.0f} ns an event",
                     format_share(cost.core_share), cost.ns_per_event);
}

}  // namespace stepscope
