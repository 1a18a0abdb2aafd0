// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/places/op_places.hpp"

namespace stepscope {

OpPlaces::OpPlaces(const Trace& trace, const Threads& threads, PhaseTable& phases,
                   const CallSites& sites, const std::vector<DeviceOpId>& ops)
    : trace_(trace),
      threads_(threads),
      phases_(phases),
      sites_(sites),
      captures_(trace),
      written_(trace.device_ops().size()) {
  for (const DeviceOpId op : ops) {
    const std::uint32_t row = captures_.of(op);
    written_[op] = row == kNone ? of_launch(op) : captured(op, row);
    const bool is_whole = trace.device_ops().kind[op] == DeviceOpKind::graph;
    if (is_whole || !is_graph_op(trace.device_ops(), op)) continue;
    graphs_.ops += 1;
    graphs_.ops_without_capture += row == kNone ? 1U : 0U;
  }
}

Place OpPlaces::of_launch(DeviceOpId op) const {
  const CallId launch = trace_.launch_of(op);
  if (launch == kNone) return {};
  const RangeId call = trace_.calls().range[launch];
  const ThreadId thread = trace_.host_ranges().thread[call];
  const std::int64_t called = trace_.host_ranges().begin[call];
  return {phases_.at(thread, called).phase, sites_.at(thread, called, call)};
}

Place OpPlaces::captured(DeviceOpId op, std::uint32_t row) {
  const auto [at, is_new] = made_.try_emplace(row);
  if (is_new) at->second = made_at(row);
  const Place made = at->second;
  const Place launched = of_launch(op);
  Place place{made.phase, made.line.site != kNone ? made.line : launched.line};
  const CallId launch = trace_.launch_of(op);
  if (launch == kNone) return place;
  const RangeId call = trace_.calls().range[launch];
  const HostRanges& h = trace_.host_ranges();
  place.phase = made.phase == 0 ? launched.phase
                                : phases_.inside({h.thread[call], h.begin[call]}, made.phase);
  return place;
}

// An autograd thread has no line of its own: its caller's stands in, as for any call there.
Place OpPlaces::made_at(std::uint32_t row) {
  const GraphNodes& nodes = trace_.graph_nodes();
  const Moment made{nodes.thread[row], nodes.time[row]};
  const RangeId innermost = threads_.work(made.thread).at(made.time).innermost;
  const CodeLine around = sites_.at(made.thread, made.time, innermost);
  const SiteId own = nodes.site[row];
  const bool known = around.site == own || around.direction != Direction::none || own == kNone;
  return {phases_.captured(made, captures_.begin_of(row)),
          known ? around : CodeLine{own, Direction::none}};
}

RangeId OpPlaces::range_of(DeviceOpId op) const {
  const std::uint32_t row = captures_.of(op);
  if (row != kNone) {
    const GraphNodes& nodes = trace_.graph_nodes();
    return threads_.calls(nodes.thread[row]).at(nodes.time[row]).innermost;
  }
  const CallId launch = trace_.launch_of(op);
  return launch == kNone ? kNone : trace_.calls().range[launch];
}

}  // namespace stepscope
