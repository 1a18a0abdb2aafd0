// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <map>

#include "core/compare/comparison.hpp"
#include "core/compare/delta_parts.hpp"
#include "core/compare/matched_work.hpp"
#include "core/compare/same_program.hpp"

namespace stepscope {
namespace {

using namespace compare_parts;

ComparedSide side_of(const Summary& summary, const ScaledSide& scaled) {
  ComparedSide side;
  side.run = summary.run;
  side.steps_counted = summary.partition.steps_counted;
  side.has_steps = summary.steps.found_by != FoundBy::whole_trace;
  side.wall_ns_total = scaled.wall_ns;
  side.wall_ns_per_step = summary.partition.wall_ns_per_step();
  side.p50_ns = summary.partition.p50_ns;
  side.p90_ns = summary.partition.p90_ns;
  side.bound = summary.partition.bound;
  return side;
}

template <class Row>
void sort_by_delta(std::vector<Row>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const Row& x, const Row& y) {
    return std::abs(x.delta_ns()) > std::abs(y.delta_ns());
  });
}

std::vector<CauseDelta> cause_deltas(const ScaledSide& a, const ScaledSide& b) {
  PerCause<CauseDelta> sums{};
  for (const WorkItem& item : a.items) sums[index_of(item.cause)].a_ns += item.ns;
  for (const WorkItem& item : b.items) sums[index_of(item.cause)].b_ns += item.ns;
  std::vector<CauseDelta> rows;
  for (std::size_t i = 0; i < kCauseCount; ++i) {
    sums[i].cause = static_cast<Cause>(i);
    if (sums[i].a_ns != 0 || sums[i].b_ns != 0) rows.push_back(sums[i]);
  }
  sort_by_delta(rows);
  return rows;
}

std::vector<PhaseDelta> phase_deltas(const ScaledSide& a, const ScaledSide& b) {
  std::map<std::string, PhaseDelta> sums;
  for (const WorkItem& item : a.items) sums[item.phase].a_ns += item.ns;
  for (const WorkItem& item : b.items) sums[item.phase].b_ns += item.ns;
  std::vector<PhaseDelta> rows;
  for (auto& [path, row] : sums) {
    row.path = path;
    rows.push_back(std::move(row));
  }
  sort_by_delta(rows);
  return rows;
}

std::vector<LineDelta> line_deltas(const ScaledSide& a, const ScaledSide& b,
                                   const LineMatching& lines) {
  constexpr std::size_t kDirections = kDirectionNames.size();
  std::vector<LineDelta> rows(lines.pairs().size() * kDirections);
  const auto place = [](std::size_t pair, const WorkItem& item) {
    return pair * kDirections + static_cast<std::size_t>(item.direction);
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const LinePair& pair = lines.pairs()[i / kDirections];
    rows[i].direction = static_cast<Direction>(i % kDirections);
    rows[i].file = pair.file();
    rows[i].a_line = pair.a.second;
    rows[i].b_line = pair.b.second;
    rows[i].line = pair.line();
    rows[i].function = pair.function();
  }
  for (const WorkItem& item : a.items) rows[place(lines.of_a(item), item)].a_ns += item.ns;
  for (const WorkItem& item : b.items) rows[place(lines.of_b(item), item)].b_ns += item.ns;
  std::erase_if(rows, [](const LineDelta& row) { return row.a_ns == 0 && row.b_ns == 0; });
  sort_by_delta(rows);
  return rows;
}

}  // namespace

std::string_view name_of(DeltaKind kind) {
  switch (kind) {
    case DeltaKind::count:
      return "count";
    case DeltaKind::per_call:
      return "per_call";
    case DeltaKind::added:
      return "added";
    case DeltaKind::removed:
      return "removed";
    case DeltaKind::idle:
      break;
  }
  return "idle";
}

Comparison compare(const Summary& a, const Summary& b, const CompareOptions& options) {
  Comparison out;
  judge_comparability(a, b, options, out);
  out.anyway = options.anyway;
  const Scales scales = scales_of(a, b, options);
  out.steps = scales.steps;
  if (options.a_samples && options.b_samples)
    out.samples = {*options.a_samples, *options.b_samples,
                   std::min(*options.a_samples, *options.b_samples)};
  if (scales.steps == 0) {
    out.a = side_of(a, {});
    out.b = side_of(b, {});
    return out;
  }
  const MatchedWork work(a, b, scales);
  const DeltaInput input{work.a.items, work.b.items, work.lines, work.groups};
  out.a = side_of(a, work.a);
  out.b = side_of(b, work.b);
  out.delta_ns_total = work.b.wall_ns - work.a.wall_ns;
  out.causes = cause_deltas(work.a, work.b);
  out.phases = phase_deltas(work.a, work.b);
  out.lines = line_deltas(work.a, work.b, work.lines);
  out.parts = delta_parts(input);
  out.replaced = replacements(input, out.steps);
  out.counts = count_deltas(a, b, work.lines);
  out.residual_ns = out.delta_ns_total;
  for (const DeltaPart& part : out.parts) out.residual_ns -= part.delta_ns;
  if (std::string noise = noise_of_one_run(out); !noise.empty())
    out.warnings.push_back(std::move(noise));
  return out;
}

}  // namespace stepscope
