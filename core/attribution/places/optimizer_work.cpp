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
  for (RangeId r = 0; r < h.size(); ++r)
    if (is_scope(r)) find_between_runs(r);
}

void OptimizerWork::find_between_runs(RangeId scope) {
  const HostRanges& h = trace_.host_ranges();
  if (h.site[scope] == kNone) return;
  const Rows rows = trace_.ranges_of(h.thread[scope]);
  std::int64_t since = 0;  // the end of the run before; 0: nothing of the optimizer's behind it yet
  for (RangeId r = scope + 1; r < rows.end && h.begin[r] < h.end[scope]; ++r) {
    const std::int64_t end = pass_end(scope, h.begin[r]);
    if (h.site[r] == kNone || end == h.begin[scope] || h.begin[r] < end) continue;
    if (since < end) since = 0;  // another run, at no line of its own
    if (h.site[r] == h.site[scope]) {
      since = end;
    } else if (since != 0) {
      between_runs_[scope].push_back({since, h.begin[r]});
      since = 0;
    }
  }
}

std::int64_t OptimizerWork::pass_end(RangeId scope, std::int64_t before) const {
  const HostRanges& h = trace_.host_ranges();
  const std::vector<Node>& nodes = nodes_[trace_.data().threads[h.thread[scope]].process];
  const auto behind = std::partition_point(nodes.begin(), nodes.end(),
                                           [&](const Node& node) { return node.begin < before; });
  const bool is_inside = behind != nodes.begin() && (behind - 1)->begin >= h.begin[scope];
  return is_inside ? (behind - 1)->last_end : h.begin[scope];
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
  const std::int64_t end = trace_.host_ranges().end[scope];
  return std::min(pass_end(scope, end), end);
}

bool OptimizerWork::holds(RangeId range) const {
  const RangeId scope = scope_of_[range];
  if (scope == kNone) return false;
  const std::int64_t begin = trace_.host_ranges().begin[range];
  if (begin >= own_begin(scope)) return true;
  const auto known = between_runs_.find(scope);
  if (known == between_runs_.end()) return false;
  const auto next = std::ranges::upper_bound(known->second, begin, {}, &Interval::end);
  return next != known->second.end() && next->begin <= begin;
}

}  // namespace stepscope
