// SPDX-License-Identifier: Apache-2.0
#include "core/report/wording/diff_words.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/report/wording/numbers.hpp"
#include "core/support/duration.hpp"
#include "core/support/short_file.hpp"

namespace stepscope {
namespace {

constexpr double kSame = 0.0005;  // share of A's step; less is not worth a direction

double mean_call_ns(std::int64_t ns, std::uint64_t calls) {
  return static_cast<double>(ns) / static_cast<double>(calls);
}

std::string counts_text(const DeltaPart& part, const Comparison& c) {
  return fmt::format("{} -> {} calls",
                     format_count(c.per_step(static_cast<std::int64_t>(part.a_calls))),
                     format_count(c.per_step(static_cast<std::int64_t>(part.b_calls))));
}

std::string mean_text(const DeltaPart& part) {
  return fmt::format("each {} -> {}", format_duration(mean_call_ns(part.a_ns, part.a_calls)),
                     format_duration(mean_call_ns(part.b_ns, part.b_calls)));
}

// Whether the larger part of a group is that of the calls' number, else that of their length (the
// Shapley value, as core/compare/delta_parts). Idle time is one part, but has both.
bool is_of_the_count(const DeltaPart& part) {
  const auto a = static_cast<double>(part.a_calls), b = static_cast<double>(part.b_calls);
  const double means =
      mean_call_ns(part.a_ns, part.a_calls) + mean_call_ns(part.b_ns, part.b_calls);
  const double by_count = (b - a) * means / 2;
  return std::abs(by_count) >= std::abs(static_cast<double>(part.b_ns - part.a_ns) - by_count);
}

// A group of other causes: removed here, added there.
std::string replaced_text(const DeltaGroup& group) {
  for (const DeltaPart* part : group.parts)
    if (part->cause != group.largest().cause)
      return fmt::format("replaced: {} -> {}", name_of(group.largest().cause),
                         name_of(part->cause));
  return "replaced";
}

}  // namespace

std::string format_difference(double ns, const TimeUnit& unit) {
  const double value = ns / unit.ns;
  const std::string text = fmt::format("{:+.{}f}", value, unit.decimals);
  return text.find_first_of("123456789") == std::string::npos ? text.substr(1) : text;
}

std::string format_change(double ratio) {
  const std::string text = fmt::format("{:+.1f} %", 100 * ratio);
  return text == "-0.0 %" || text == "+0.0 %" ? text.substr(1) : text;
}

std::string diff_sentence(const Comparison& c) {
  const double a = c.per_step(c.a.wall_ns_total);
  const double b = c.per_step(c.b.wall_ns_total);
  if (c.steps == 0 || a <= 0 || b <= 0) return "there is no step time to compare";
  const std::string what =
      c.samples ? fmt::format("for {} samples", format_count(c.samples->per)) : "a step";
  const std::string both =
      fmt::format("B takes {} {}, A {}", format_duration(b), what, format_duration(a));
  const double change = b / a - 1;
  if (std::abs(change) < kSame) return both + ": the same";
  const bool may_be_noise =
      c.range_ns_per_step && c.range_ns_per_step->first < 0 && c.range_ns_per_step->second > 0;
  return fmt::format("{}: {} {} ({}), {:.2f} times as {}{}", both, format_duration(std::abs(b - a)),
                     change < 0 ? "less" : "more", format_change(change),
                     change < 0 ? a / b : b / a, change < 0 ? "fast" : "long",
                     may_be_noise ? "; other pairs of these runs differ the other way round" : "");
}

std::string side_sentence(const ComparedSide& side) {
  std::string out = fmt::format("{}: ", side.run.path);
  if (side.runs > 1) out += fmt::format("the middle one of {} runs, ", side.runs);
  if (!side.has_steps) {
    out +=
        fmt::format("no steps were found in {}", format_duration(static_cast<double>(side.p50_ns)));
    return out;
  }
  out += fmt::format("{} step{}, p50 {}", format_count(static_cast<double>(side.steps_counted)),
                     side.steps_counted == 1 ? "" : "s",
                     format_duration(static_cast<double>(side.p50_ns)));
  if (!side.run.device.empty()) out += ", " + side.run.device;
  if (side.bound != Bound::not_judged) out += fmt::format(", {}-bound", name_of(side.bound));
  return out;
}

std::string how_of(const DeltaGroup& group, const Comparison& c) {
  const DeltaPart& part = group.largest();
  bool added = false;
  bool removed = false;
  for (const DeltaPart* p : group.parts) {
    added |= p->kind == DeltaKind::added;
    removed |= p->kind == DeltaKind::removed;
  }
  if (added && removed) return replaced_text(group);
  if (added) return "added";
  if (removed) return "removed";
  if (part.a_ns == 0) return part.line_in_both ? "none seen in A" : "new";
  if (part.b_ns == 0) return part.line_in_both ? "none seen in B" : "gone";
  if (part.a_calls == 0 || part.b_calls == 0) return "";
  return is_of_the_count(part) ? counts_text(part, c) : mean_text(part);
}

std::string place_of(const DeltaPart& part) {
  if (part.file.empty()) return "";
  const std::string name = short_file(part.file);
  const std::string place = fmt::format("{}:{}", name, part.line);
  return (part.function.empty() ? place : fmt::format("{} ({})", place, part.function)) +
         direction_text(part.direction);
}

}  // namespace stepscope
