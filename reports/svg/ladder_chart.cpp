// SPDX-License-Identifier: Apache-2.0
#include "reports/svg/charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/attribution/cause.hpp"
#include "core/report/wording/ladder.hpp"
#include "core/report/wording/numbers.hpp"
#include "reports/svg/chart_marks.hpp"

namespace stepscope {
namespace {

using namespace chart_marks;

constexpr double kLeft = 150, kRight = 150, kTopMargin = 70, kChartRow = 46;
constexpr double kRateHeight = 15, kStepHeight = 9, kStepTop = 20;

using Families = std::array<std::int64_t, kCauseFamilies.size()>;

// Both axes begin at 0.
struct Scales {
  double fastest = 1;     // tokens/s
  double longest_ns = 1;  // longest profiled step
  double width = kChartWidth - kLeft - kRight;

  double rate_x(double rate) const { return kLeft + width * rate / fastest; }
  double step_width(std::int64_t ns) const { return width * static_cast<double>(ns) / longest_ns; }
};

Scales scales_of(const Ladder& ladder) {
  Scales scales;
  for (const LadderRung& rung : ladder.rungs) {
    scales.fastest =
        std::max({scales.fastest, rung.tokens_per_s.value, rung.tokens_per_s.high.value_or(0)});
    if (rung.step)
      scales.longest_ns = std::max(scales.longest_ns, static_cast<double>(rung.step->wall_ns));
  }
  return scales;
}

Markup whisker(const RepeatedMean& rate, const Scales& scales, double y) {
  if (!rate.low || !rate.high) return {};
  const double low = scales.rate_x(*rate.low), high = scales.rate_x(*rate.high);
  const double middle = y + kRateHeight / 2;
  return path("range", fmt::format("M{:.2f} {:.2f}v6m0 -3H{:.2f}m0 -3v6", low, middle - 3, high));
}

Families by_family(const ProfiledStep& step) {
  Families out{};
  for (const StepPart& part : step.parts)
    out[static_cast<std::size_t>(family_of(part.cause))] += part.ns;
  return out;
}

Markup step_bar(const ProfiledStep& step, const Scales& scales, double y) {
  const Families families = by_family(step);
  const TimeUnit unit = unit_for_step(static_cast<double>(step.wall_ns));
  Markup out;
  double x = kLeft;
  for (const CauseFamily family : kCauseFamilies) {
    const std::int64_t ns = families[static_cast<std::size_t>(family)];
    if (ns <= 0) continue;
    const double width = scales.step_width(ns);
    out += box(fmt::format("f-{}", name_of(family)), x, y, width, kStepHeight,
               fmt::format("{}: {} {} of {}", meaning_of(family),
                           format_time(static_cast<double>(ns), unit), unit.name,
                           format_time(static_cast<double>(step.wall_ns), unit)));
    x += width;
  }
  return out + words("note", x + 5, y + kStepHeight - 1,
                     fmt::format("{} {}", format_time(static_cast<double>(step.wall_ns), unit),
                                 unit.name));
}

Markup rung_row(const LadderRung& rung, const Scales& scales, double y) {
  Markup out = words("label", 10, y + 12, rung.rung.id + " " + rung.rung.name);
  if (rung.effect == Effect::failed) return out + words("note", kLeft, y + 12, "did not run");
  const double rate = rung.tokens_per_s.value;
  out += box("rate", kLeft, y, scales.rate_x(rate) - kLeft, kRateHeight,
             fmt::format("{} tokens/s", format_count(rate)));
  out += whisker(rung.tokens_per_s, scales, y);
  const double end =
      std::max(scales.rate_x(rate), scales.rate_x(rung.tokens_per_s.high.value_or(0)));
  std::string value = format_count(rate);
  if (rung.gain) value += fmt::format("  {:.2f}x", rung.gain->value);
  if (rung.effect == Effect::none) value += "  null";
  out += words("value", end + 6, y + 12, value);
  if (rung.step) out += step_bar(*rung.step, scales, y + kStepTop);
  return out;
}

// Families that some step has.
Markup legend(const Ladder& ladder, double y) {
  Families all{};
  for (const LadderRung& rung : ladder.rungs) {
    if (!rung.step) continue;
    const Families families = by_family(*rung.step);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += families[i];
  }
  Markup out;
  double x = 10;
  for (const CauseFamily family : kCauseFamilies) {
    if (all[static_cast<std::size_t>(family)] <= 0) continue;
    const std::string_view meaning = meaning_of(family);
    const double width = 28 + 6.5 * static_cast<double>(meaning.size());
    if (x + width > kChartWidth) x = 10, y += 18;
    out += box(fmt::format("f-{}", name_of(family)), x, y, 10, 10, std::string(meaning));
    out += words("note", x + 15, y + 9, meaning);
    x += width;
  }
  return out;
}

Markup chart(const Ladder& ladder, double& height) {
  const Scales scales = scales_of(ladder);
  Markup out = words("title", 10, 20, ladder_sentence(ladder));
  out += words("note", 10, 38, ladder_facts(ladder));
  out += words("note", 10, 53,
               "wide bars: tokens/s with the 95 % interval; thin bars: the profiled step by what "
               "its time went to");
  double y = kTopMargin;
  for (const LadderRung& rung : ladder.rungs) {
    out += rung_row(rung, scales, y) + Markup("\n");
    y += kChartRow;
  }
  out += legend(ladder, y);
  height = y + 40;
  return out;
}

}  // namespace

Markup ladder_chart(const Ladder& ladder) {
  double height = 0;
  const Markup content = chart(ladder, height);
  return picture(height, "Tokens a second of each rung, and what its step's time went to", content);
}

std::string svg_ladder(const Ladder& ladder) {
  return ladder_chart(ladder).str() + "\n";
}

}  // namespace stepscope
