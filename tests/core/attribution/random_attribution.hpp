// SPDX-License-Identifier: Apache-2.0
// Sound attributions at random: a trace with device ops, steps that tile it, phases, and a
// partition whose segments tile the windows. What must hold for each of them is a property, not an
// example.
#pragma once

#include <algorithm>
#include <random>

#include "core/attribution/attribution.hpp"
#include "tests/core/model/trace_maker.hpp"

namespace stepscope {

struct RandomCase {
  Trace trace;
  Steps steps;
  Attribution attribution;
};

class RandomAttribution {
 public:
  explicit RandomAttribution(std::uint32_t seed) : random_(seed) {}

  RandomCase make() {
    make_sites();
    Attribution a;
    a.phases = {{"(no phase)", 0}, {"forward", 0}, {"topk", 1},
                {"eval", 0},       {"topk", 3},    {"never", 0}};
    make_steps();
    make_segments(a.process);
    make_collectives(a);
    make_.data.source = SourceKind::kineto;
    make_.data.path = "random.json";
    const Trace trace = make_.build();
    for (DeviceOpId op = 0; op < trace.device_ops().size(); ++op) {
      a.ops.push_back({static_cast<Cause>(below(7)), static_cast<PhaseId>(below(5))});
      if (op % 3 != 0) a.ops.back().transfer = op % 3 - 1;
    }
    for (const Step& step : steps_.list) {
      a.visits.push_back({1, {step.window.begin, step.window.begin + 10}});
      if (below(3) == 0) a.visits.push_back({3, {step.window.begin + 10, step.window.begin + 20}});
    }
    if (below(2) == 0) {
      a.devices = {a.process, a.process};
      a.devices[0].device = 0;
      a.devices[1].device = 1;
    }
    a.inflated = below(4) == 0;
    return {trace, steps_, a};
  }

 private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

  // Makes two transfers, of which one has a group of two calls.
  void make_collectives(Attribution& a) {
    Collectives& calls = make_.data.collectives;
    for (std::uint32_t i = 0; i < 3; ++i) {
      calls.range.push_back(
          make_.range(HostKind::nvtx_range, i == 0 ? "ncclAllReduce" : "ncclSend", 1, i, i + 1));
      calls.communicator.push_back(~std::uint64_t{0} - i);
      calls.bytes.push_back(std::uint64_t{1} << (10U * i));
      calls.reduce.push_back(i == 0 ? ReduceOperation::average : ReduceOperation::none);
      calls.peer.push_back(kNone);
    }
    a.transfers = {{{0}}, {{1, 2}}};
    for (DeviceOpId op = 0; op < 40; op += 2)
      a.last_entries[op] = {std::int64_t{op % 4} << 40, static_cast<std::int32_t>(op % 3)};
  }

  void make_sites() {
    for (std::uint32_t i = 0; i < 4; ++i) {
      sites_.push_back(
          make_.site("train.py", 10 + i, i == 3 ? SiteKind::function : SiteKind::call));
    }
    make_.stream(7);
  }

  void make_steps() {
    steps_.found_by = FoundBy::profiler_step;
    steps_.confidence = 1;
    std::int64_t at = 1'700'000'000'000'000'000;
    const std::uint32_t count = below(7);
    for (std::uint32_t i = 0; i < count; ++i) {
      Step step;
      step.id = i;
      // Now and then a long one.
      const std::int64_t wall = 100 + below(1'000'000) + (below(5) == 0 ? 4'000'000 : 0);
      step.window = {at, at + wall};
      step.host = step.window;
      step.steady = below(4) != 0;
      if (!step.steady) step.why_not_steady = "not recorded, by plan";
      step.wall_known = i + 1 < count || below(2) == 0;
      at = step.window.end;
      steps_.list.push_back(step);
    }
  }

  void make_segments(Partition& p) {
    std::vector<Interval> busy;
    for (std::uint32_t row = 0; row < steps_.list.size(); ++row) {
      const Interval window = steps_.list[row].window;
      for (std::int64_t at = window.begin; at < window.end;) {
        const std::int64_t end = std::min<std::int64_t>(window.end, at + 1 + below(200'000));
        add(p, row, {at, end}, busy);
        at = end;
      }
    }
    p.busy = unite(busy);
    p.queued_busy_ns = total_length(p.busy) / 3;
    merge_cells(p);
  }

  void add(Partition& p, std::uint32_t row, Interval time, std::vector<Interval>& busy) {
    Segment s;
    s.time = time;
    s.cause = static_cast<Cause>(below(kCauseCount));
    s.phase = below(5);
    if (below(3) != 0) s.site = sites_[below(4)];
    if (s.site != kNone) s.direction = static_cast<Direction>(below(3));
    if (is_device_busy(s.cause)) {
      busy.push_back(time);
      s.device_evidence = make_.kernel("kernel", 7, time.begin, time.end, 0);
      make_.data.device_ops.bytes.back() = below(2) == 0 ? below(4096) : kUnknownBytes;
    } else {
      s.host_evidence = below(50);
    }
    p.segments.push_back(s);
    p.cells.push_back({row, s.cause, s.phase, s.site, time.length(), s.direction});
  }

  static void merge_cells(Partition& p) {
    const auto key = [](const Cell& c) {
      return std::tuple(c.step, c.cause, c.phase, c.site, c.direction);
    };
    std::sort(p.cells.begin(), p.cells.end(),
              [&](const Cell& a, const Cell& b) { return key(a) < key(b); });
    std::vector<Cell> merged;
    for (const Cell& cell : p.cells) {
      if (!merged.empty() && key(merged.back()) == key(cell)) {
        merged.back().ns += cell.ns;
      } else {
        merged.push_back(cell);
      }
    }
    p.cells = std::move(merged);
  }

  std::mt19937 random_;
  TraceMaker make_;
  std::vector<SiteId> sites_;
  Steps steps_;
};

}  // namespace stepscope
