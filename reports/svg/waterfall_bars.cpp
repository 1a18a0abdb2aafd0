// SPDX-License-Identifier: Apache-2.0
// What each bar of a waterfall stands for.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "core/compare/delta_groups.hpp"
#include "core/report/wording/diff_words.hpp"
#include "core/report/wording/numbers.hpp"
#include "reports/svg/waterfall.hpp"

namespace stepscope {
namespace {

// "gpu.gemm · train.py:42 (step)": where no line is known, the phase.
std::string part_label(const DeltaPart& part) {
  const std::string place = place_of(part);
  return fmt::format("{} · {}", name_of(part.cause), place.empty() ? part.phase : place);
}

std::string part_title(const DeltaGroup& group, const Comparison& comparison) {
  const DeltaPart& part = group.largest();
  std::string out = part_label(part);
  if (!part.op.empty()) out += ", " + short_kernel_name(part.op);
  const std::string how = how_of(group, comparison);
  return how.empty() ? out : out + ", " + how;
}

// What one bar stands for, from the finest to the coarsest.
enum class Detail : std::uint8_t { part, line, phase, cause };

std::string label_at(const DeltaPart& part, Detail detail) {
  if (detail == Detail::cause) return std::string(name_of(part.cause));
  if (detail == Detail::phase) return fmt::format("{} · {}", name_of(part.cause), part.phase);
  return part_label(part);
}

// Largest first.
std::vector<WaterfallBar> bars_of(const Comparison& comparison,
                                  const std::vector<DeltaGroup>& groups, Detail detail) {
  std::vector<WaterfallBar> bars;
  std::map<std::string, std::size_t> places;
  for (const DeltaGroup& group : groups) {
    const std::string label = label_at(group.largest(), detail);
    const auto [at, is_new] = places.try_emplace(label, bars.size());
    if (is_new || detail == Detail::part) {
      at->second = bars.size();
      bars.push_back({label, detail == Detail::part ? part_title(group, comparison) : "", 0});
    }
    bars[at->second].delta_ns += group.delta_ns;
  }
  std::stable_sort(bars.begin(), bars.end(), [](const WaterfallBar& a, const WaterfallBar& b) {
    return std::abs(a.delta_ns) > std::abs(b.delta_ns);
  });
  return bars;
}

// Leaves the largest bars, and one of all others, last. Returns what that one says.
std::int64_t cut_to(std::vector<WaterfallBar>& bars, std::size_t most) {
  while (!bars.empty() && bars.back().delta_ns == 0) bars.pop_back();
  if (bars.size() <= most + 1) return 0;
  WaterfallBar rest{fmt::format("{} smaller parts", bars.size() - most), "", 0};
  for (std::size_t i = most; i < bars.size(); ++i) rest.delta_ns += bars[i].delta_ns;
  bars.resize(most);
  bars.push_back(rest);
  return rest.delta_ns;
}

// A rest that is as large as what it stands beside says nothing: coarser bars do.
bool is_small(std::int64_t rest, const std::vector<WaterfallBar>& bars) {
  double sum = 0;
  for (const WaterfallBar& bar : bars) sum += std::abs(static_cast<double>(bar.delta_ns));
  return std::abs(static_cast<double>(rest)) <= 0.15 * sum;
}

}  // namespace

Waterfall waterfall_of(const Comparison& comparison, std::size_t most) {
  Waterfall out;
  if (!comparison.shown()) return out;
  out.a_ns = comparison.a.wall_ns_total;
  out.b_ns = comparison.b.wall_ns_total;
  out.steps = comparison.steps;
  const std::vector<DeltaGroup> groups = group_parts(comparison.parts);
  for (const Detail detail : {Detail::part, Detail::line, Detail::phase, Detail::cause}) {
    out.bars = bars_of(comparison, groups, detail);
    const std::int64_t rest = cut_to(out.bars, most);
    if (is_small(rest, out.bars)) break;
  }
  return out;
}

}  // namespace stepscope
