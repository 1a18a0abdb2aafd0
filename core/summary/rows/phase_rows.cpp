// SPDX-License-Identifier: Apache-2.0
// The phase table. A phase's row holds its inner phases too, so the outermost rows sum to the wall.
//
// Device ops are visited in begin order, so the union of a phase's ops needs only the end of the
// last one. A visit belongs to the step whose host part it lies in: the host runs ahead of the
// windows.
#include <algorithm>
#include <map>

#include "core/summary/parts.hpp"

namespace stepscope::summary_parts {
namespace {

constexpr PhaseId kRoot = 0;
constexpr std::size_t kFewestRuns = 4;  // fewer do not show what one usually takes
constexpr std::int64_t kLeastOfMedian =
    4;  // a run of a phase that comes seldom takes a quarter at least

// Calls f(phase) for the phase and those around it; the root stands for itself only.
template <class F>
void each_around(const std::vector<Phase>& phases, PhaseId phase, F f) {
  f(phase);
  while (phase != kRoot && phases[phase].parent != kRoot) f(phase = phases[phase].parent);
}

class PhaseSums {
 public:
  PhaseSums(const Trace& trace, const Steps& steps, const Attribution& attribution,
            const Counting& counting)
      : trace_(trace),
        steps_(steps),
        attribution_(attribution),
        counting_(counting),
        rows_(attribution.phases.size()),
        ns_in_(rows_.size()),
        steps_in_(rows_.size()),
        busy_until_(rows_.size()),
        children_(rows_.size()) {
    name_rows();
    add_cells();
    add_visits();
    add_ops();
    count_steps();
  }

  std::vector<PhaseRow> take() {
    std::vector<PhaseRow> out;
    for (PhaseId p = 1; p < rows_.size(); ++p) {
      if (!is_empty(p)) children_[attribution_.phases[p].parent].push_back(p);
    }
    append_children(kRoot, out);
    if (rows_[kRoot].wall_ns_total != 0) insert_root(out);
    return out;
  }

 private:
  void name_rows() {
    const std::vector<Phase>& phases = attribution_.phases;
    const std::vector<std::string> paths = phase_paths(phases);
    for (PhaseId p = 0; p < rows_.size(); ++p) {
      const PhaseId parent = p == kRoot ? kRoot : phases[p].parent;
      rows_[p].name = phase_name(phases, p);
      rows_[p].path = paths[p];
      if (parent != kRoot) rows_[p].parent = phases[parent].name;
      each_around(phases, p, [&](PhaseId around) { rows_[p].depth += around != p ? 1U : 0U; });
    }
  }

  void add_cells() {
    for (const Cell& cell : attribution_.process.cells) {
      if (!counting_.counts[cell.step]) continue;
      each_around(attribution_.phases, cell.phase, [&](PhaseId p) {
        rows_[p].wall_ns_total += cell.ns;
        if (!is_device_compute(cell.cause)) rows_[p].exposed_ns_total += cell.ns;
        if (attribution_.visits.empty()) ns_in_[p][cell.step] += cell.ns;
      });
    }
  }

  std::size_t step_of(std::int64_t host_time) const {
    const auto at = std::upper_bound(
        steps_.list.begin(), steps_.list.end(), host_time,
        [](std::int64_t t, const Step& s) { return t < (s.host.empty() ? s.window : s.host).end; });
    return static_cast<std::size_t>(at - steps_.list.begin());
  }

  void add_visits() {
    for (const PhaseVisit& visit : attribution_.visits) {
      const std::size_t step = step_of(visit.time.begin);
      if (step >= steps_.list.size() || !counting_.counts[step]) continue;
      rows_[visit.phase].calls_total += 1;
      each_around(attribution_.phases, visit.phase, [&](PhaseId p) {
        ns_in_[p][static_cast<std::uint32_t>(step)] += visit.time.length();
      });
    }
  }

  void add_ops() {
    const DeviceOps& ops = trace_.device_ops();
    for (DeviceOpId op = 0; op < attribution_.ops.size(); ++op) {
      if (trace_.data().streams[ops.stream[op]].process != steps_.process) continue;
      const PhaseId phase = attribution_.ops[op].phase;
      for (const Interval& part : clip(counting_.windows, {ops.begin[op], ops.end[op]})) {
        each_around(attribution_.phases, phase, [&](PhaseId p) { add_busy(p, part); });
      }
      if (ops.bytes[op] == kUnknownBytes || !counting_.covers(ops.begin[op])) continue;
      each_around(attribution_.phases, phase,
                  [&](PhaseId p) { rows_[p].bytes_total += ops.bytes[op]; });
    }
  }

  void add_busy(PhaseId p, Interval part) {
    part.begin = std::max(part.begin, busy_until_[p]);
    rows_[p].gpu_busy_ns_total += part.length();
    busy_until_[p] = std::max(busy_until_[p], part.end);
  }

  void count_steps() {
    for (PhaseId p = 0; p < rows_.size(); ++p) {
      const std::vector<std::uint32_t>& in = steps_in_[p] = runs_of(p);
      rows_[p].steps_in = p == kRoot || in.empty() ? counting_.rows.size() : in.size();
      if (rows_[p].steps_in > 0) rows_[p].every_steps = every_steps(p);
    }
  }

  // The steps in which a phase runs, in their order. Where it comes seldom, but four times or more, steps in which it takes less than
  // a quarter of the median are none: a function of it that something else calls, as at a fold's begin.
  std::vector<std::uint32_t> runs_of(PhaseId p) const {
    std::vector<std::int64_t> lengths;
    for (const auto& [step, ns] : ns_in_[p]) lengths.push_back(ns);
    const bool is_seldom =
        lengths.size() >= kFewestRuns && 2 * lengths.size() <= counting_.rows.size();
    std::ranges::sort(lengths);
    const std::int64_t median = lengths.empty() ? 0 : lengths[(lengths.size() - 1) / 2];
    std::vector<std::uint32_t> out;
    for (const auto& [step, ns] : ns_in_[p])
      if (!is_seldom || kLeastOfMedian * ns >= median) out.push_back(step);
    return out;
  }

  // The distance of its steps where all are equally far apart: how often the run ends behind one
  // more, or begins before one less, is chance.
  double every_steps(PhaseId p) const {
    const std::vector<std::uint32_t>& in = steps_in_[p];
    const bool is_regular =
        in.size() > 1 && std::adjacent_find(in.begin(), in.end(), [&](auto a, auto b) {
                           return b - a != in[1] - in[0];
                         }) == in.end();
    return is_regular ? in[1] - in[0]
                      : static_cast<double>(counting_.rows.size()) /
                            static_cast<double>(rows_[p].steps_in);
  }

  bool is_empty(PhaseId p) const {
    return rows_[p].wall_ns_total == 0 && rows_[p].calls_total == 0 &&
           rows_[p].gpu_busy_ns_total == 0;
  }

  void append_children(PhaseId parent, std::vector<PhaseRow>& out) {
    std::vector<PhaseId>& children = children_[parent];
    std::stable_sort(children.begin(), children.end(), [this](PhaseId a, PhaseId b) {
      return rows_[a].wall_ns_total > rows_[b].wall_ns_total;
    });
    for (const PhaseId child : children) {
      out.push_back(rows_[child]);
      append_children(child, out);
    }
  }

  // The root's row stands among the outermost ones by its size.
  void insert_root(std::vector<PhaseRow>& out) {
    const auto at = std::find_if(out.begin(), out.end(), [this](const PhaseRow& row) {
      return row.depth == 0 && row.wall_ns_total < rows_[kRoot].wall_ns_total;
    });
    out.insert(at, rows_[kRoot]);
  }

  const Trace& trace_;
  const Steps& steps_;
  const Attribution& attribution_;
  const Counting& counting_;
  std::vector<PhaseRow> rows_;                                // by PhaseId
  std::vector<std::map<std::uint32_t, std::int64_t>> ns_in_;  // by PhaseId, then by step
  std::vector<std::vector<std::uint32_t>> steps_in_;          // by PhaseId
  std::vector<std::int64_t> busy_until_;                      // by PhaseId
  std::vector<std::vector<PhaseId>> children_;  // by PhaseId: with a row, largest first
};

}  // namespace

std::string phase_name(const std::vector<Phase>& phases, PhaseId phase) {
  return phase == kRoot ? "(no phase)" : phases[phase].name;
}

std::vector<std::string> phase_paths(const std::vector<Phase>& phases) {
  std::vector<std::string> paths;
  for (PhaseId p = 0; p < phases.size(); ++p) {
    std::string path;
    each_around(phases, p, [&](PhaseId around) {
      if (!path.empty()) path.insert(0, 1, '/');
      path.insert(0, phase_name(phases, around));
    });
    paths.push_back(std::move(path));
  }
  return paths;
}

std::vector<PhaseRow> phase_rows(const Trace& trace, const Steps& steps,
                                 const Attribution& attribution, const Counting& counting) {
  if (attribution.phases.empty()) return {};
  return PhaseSums(trace, steps, attribution, counting).take();
}

}  // namespace stepscope::summary_parts
