// SPDX-License-Identifier: Apache-2.0
#include "reports/svg/charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/report/wording/ladder.hpp"
#include "core/report/wording/numbers.hpp"
#include "reports/svg/chart_marks.hpp"

namespace stepscope {
namespace {

using namespace chart_marks;

constexpr double kStudyTop = 75, kStudyLeft = 160, kStudyRight = 110;
constexpr double kStudyWidth = kChartWidth - kStudyLeft - kStudyRight;

// An axis of factors that holds 1.
struct FactorAxis {
  double low = 0, high = 0.01;  // logarithms

  explicit FactorAxis(const RungOrders& orders) {
    for (const SharedGain& gain : orders.rungs) {
      low = std::min(low, std::log(gain.least));
      high = std::max(high, std::log(gain.most));
    }
  }
  double x(double factor) const {
    const double part = std::clamp((std::log(factor) - low) / (high - low), 0.0, 1.0);
    return kStudyLeft + kStudyWidth * part;
  }
};

Markup share_row(const SharedGain& gain, const FactorAxis& axis, double y) {
  constexpr double kHeight = 16;
  const double one = axis.x(1), share = axis.x(gain.share.value), middle = y + kHeight / 2;
  Markup out = words("label", 10, y + 12, gain.rung.id + " " + gain.rung.name);
  out += box("rate", std::min(one, share), y, std::abs(share - one), kHeight,
             "share " + format_ratio(gain.share));
  out += path("range",
              fmt::format("M{:.2f} {:.2f}H{:.2f}", axis.x(gain.least), middle, axis.x(gain.most)));
  out += dot("ring", axis.x(gain.alone.value), middle, 4, "alone " + format_ratio(gain.alone));
  out += dot("point", axis.x(gain.behind_all.value), middle, 4,
             "behind all others " + format_ratio(gain.behind_all));
  return out +
         words("value", kChartWidth - 10, y + 12, fmt::format("{:.3f}x", gain.share.value), "end");
}

// Axes from 0; micro-batches at equal distances. An interval that is far wider than its rate is
// cut, for else it alone would be seen.
struct SweepAxes {
  double fastest = 1;
  std::size_t points = 1;
  static constexpr double kPlotHeight = 260, kAbove = 1.15;

  explicit SweepAxes(const LadderSweep& sweep) : points(sweep.points.size()) {
    for (const SweepPoint& point : sweep.points)
      for (const LadderRung& rung : point.ladder.rungs)
        fastest = std::max(fastest, kAbove * rung.tokens_per_s.value);
  }
  double x(std::size_t point) const {
    const double gaps = std::max<double>(1, static_cast<double>(points) - 1);
    return kStudyLeft - 70 + (kStudyWidth + 70) * static_cast<double>(point) / gaps;
  }
  double y(double rate) const {
    return kStudyTop + kPlotHeight * (1 - std::min(1.0, rate / fastest));
  }
};

Markup sweep_grid(const LadderSweep& sweep, const SweepAxes& axes) {
  Markup out;
  for (int quarter = 0; quarter <= 4; ++quarter) {
    const double rate = axes.fastest * quarter / 4;
    out += path("grid", fmt::format("M{:.2f} {:.2f}H{:.2f}", axes.x(0), axes.y(rate),
                                    kChartWidth - kStudyRight));
    out += words("note", axes.x(0) - 8, axes.y(rate) + 4, format_count(rate), "end");
  }
  const double below = kStudyTop + SweepAxes::kPlotHeight + 18;
  for (std::size_t i = 0; i < sweep.points.size(); ++i)
    out += words("note", axes.x(i), below, format_exact(sweep.points[i].micro_batch), "middle");
  return out + words("note", axes.x(0), below + 17, "micro-batch; bars: 95 % interval");
}

Markup rung_line(const LadderSweep& sweep, std::size_t place, const SweepAxes& axes) {
  constexpr std::size_t kColours = 6;
  const std::string colour = fmt::format("s-{}", place % kColours);
  std::string line;
  Markup marks;
  double end_y = 0;
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const LadderRung& rung = sweep.points[i].ladder.rungs[place];
    if (rung.effect == Effect::failed) continue;
    const RepeatedMean& rate = rung.tokens_per_s;
    end_y = axes.y(rate.value);
    line += fmt::format("{}{:.2f} {:.2f}", line.empty() ? "M" : "L", axes.x(i), end_y);
    if (rate.low && rate.high)
      marks += path("range " + colour, fmt::format("M{:.2f} {:.2f}V{:.2f}", axes.x(i),
                                                   axes.y(*rate.low), axes.y(*rate.high)));
    marks += dot("point " + colour, axes.x(i), end_y, 3.5,
                 fmt::format("{} at {}: {} tokens/s", rung.rung.id, sweep.points[i].micro_batch,
                             format_count(rate.value)));
  }
  if (line.empty()) return {};
  return path("line " + colour, line) + marks;
}

// A key in place of names at the lines' ends, which may lie on each other.
Markup sweep_key(const LadderSweep& sweep) {
  Markup out;
  double y = kStudyTop;
  const std::vector<LadderRung>& rungs = sweep.points.front().ladder.rungs;
  for (std::size_t i = 0; i < rungs.size(); ++i, y += 18) {
    out += dot(fmt::format("point s-{}", i % 6), kChartWidth - kStudyRight + 18, y, 4,
               rungs[i].rung.name);
    out += words("label", kChartWidth - kStudyRight + 28, y + 4, rungs[i].rung.id);
  }
  return out;
}

}  // namespace

Markup orders_chart(const RungOrders& orders) {
  const FactorAxis axis(orders);
  Markup out = words("title", 10, 20, orders_sentence(orders));
  out += words("note", 10, 38, ladder_facts(orders.subsets));
  out += words("note", 10, 55,
               "bar: share over all orders; line: least to most; ring: alone; dot: behind all "
               "others; shares multiply to the whole");
  double y = kStudyTop;
  for (const SharedGain& gain : orders.rungs) {
    out += share_row(gain, axis, y) + Markup("\n");
    y += 30;
  }
  out += path("grid", fmt::format("M{:.2f} {:.2f}V{:.2f}", axis.x(1), kStudyTop - 6, y));
  out += words("note", axis.x(1), y + 12, "1x", "middle");
  return picture(y + 24, "What each rung brings over all orders", out);
}

Markup sweep_chart(const LadderSweep& sweep) {
  if (sweep.points.empty()) return {};
  const SweepAxes axes(sweep);
  Markup out = words("title", 10, 20, sweep_sentence(sweep));
  out += words("note", 10, 38, sweep_facts(sweep));
  out += words("note", 10, 58, "tokens/s") + sweep_grid(sweep, axes);
  for (std::size_t i = 0; i < sweep.points.front().ladder.rungs.size(); ++i)
    out += rung_line(sweep, i, axes) + Markup("\n");
  return picture(kStudyTop + SweepAxes::kPlotHeight + 50, "Tokens a second by micro-batch",
                 out + sweep_key(sweep));
}

std::string svg_orders(const RungOrders& orders) {
  return orders_chart(orders).str() + "\n";
}

std::string svg_sweep(const LadderSweep& sweep) {
  return sweep_chart(sweep).str() + "\n";
}

}  // namespace stepscope
