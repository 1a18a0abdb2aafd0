// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/places/optimizer_work.hpp"

#include <algorithm>

#include "core/model/row_order.hpp"
#include "core/steps/hand_updates.hpp"

namespace stepscope {

OptimizerWork::OptimizerWork(const Trace& trace)
    : trace_(trace), nodes_(trace.data().processes.size()) {
  const HostRanges& h = trace.host_ranges();
  const std::vector<RangeId> enclosing = enclosing_ranges(h);
  const std::vector<bool> by_hand = hand_updates_of(trace).is_part;
  for (RangeId r = 0; r < h.size(); ++r) {
    const RangeId outer = enclosing[r];
    const bool is_step = by_hand[r] || (family_of(h.kind[r]) == HostFamily::annotation &&
                                        trace.text(h.name[r]).starts_with("Optimizer.step"));
    scope_of_.push_back(is_step ? r : outer == kNone ? kNone : scope_of_[outer]);
  }
  collect_nodes();
}

void OptimizerWork::collect_nodes() {
  const HostRanges& h = trace_.host_ranges();
  for (RangeId r = 0; r < h.size(); ++r) {
    if (h.kind[r] != HostKind::backward_node) continue;
    nodes_[trace_.data().threads[h.thread[r]].process].push_back({h.begin[r], h.end[r]});
  }
  for (std::vector<Node>& nodes : nodes_) {
    std::sort(nodes.begin(), nodes.end(),
              [](const Node& a, const Node& b) { return a.begin < b.begin; });
    for (std::size_t i = 1; i < nodes.size(); ++i)
      nodes[i].last_end = std::max(nodes[i].last_end, nodes[i - 1].last_end);
  }
}

std::int64_t OptimizerWork::own_begin(RangeId scope) const {
  const HostRanges& h = trace_.host_ranges();
  const std::vector<Node>& nodes = nodes_[trace_.data().threads[h.thread[scope]].process];
  const auto behind = std::partition_point(
      nodes.begin(), nodes.end(), [&](const Node& node) { return node.begin < h.end[scope]; });
  if (behind == nodes.begin() || (behind - 1)->begin < h.begin[scope]) return h.begin[scope];
  return std::min((behind - 1)->last_end, h.end[scope]);
}

bool OptimizerWork::holds(RangeId range) const {
  const RangeId scope = scope_of_[range];
  return scope != kNone && trace_.host_ranges().begin[range] >= own_begin(scope);
}

}  // namespace stepscope
