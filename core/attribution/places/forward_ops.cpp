// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/places/forward_ops.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>

namespace stepscope {
namespace {

// Enough of a family's names to compare it with the counting threads.
constexpr std::size_t kNamesLookedAt = 1000;

std::string letters(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

std::string_view last_part(std::string_view name) {
  const std::size_t at = name.rfind("::");
  return at == std::string_view::npos ? name : name.substr(at + 2);
}

}  // namespace

bool is_node_of(std::string_view node, std::string_view op) {
  const std::size_t label = node.rfind(": ");
  std::string_view made =
      last_part(label == std::string_view::npos ? node : node.substr(label + 2));
  made = made.substr(0, made.rfind("Backward"));
  const std::string by = letters(last_part(op));
  return !by.empty() && letters(made) == by;
}

ForwardOps::ForwardOps(const Trace& trace)
    : trace_(trace), made_in_(trace.host_ranges().size(), kNone) {
  count_rows();
  if (counters_.empty()) return;
  for (const Family& family : families()) {
    const Counter* counter = thread_of(family);
    if (counter == nullptr) continue;
    for (const RangeId node : family.nodes) made_in_[node] = made_in(*counter, node);
  }
}

void ForwardOps::count_rows() {
  const HostRanges& h = trace_.host_ranges();
  for (ThreadId t = 0; t < trace_.data().threads.size(); ++t) {
    Counter counter{.process = trace_.data().threads[t].process};
    const Rows rows = trace_.ranges_of(t);
    for (RangeId r = rows.begin; r < rows.end; ++r) {
      if (h.sequence[r] == kNoSequence) continue;
      const Count count{h.begin[r], h.sequence[r], r};
      if (h.kind[r] == HostKind::op) counter.ops.push_back(count);
      if (family_of(h.kind[r]) != HostFamily::api) continue;
      counter.launches.push_back(count);
      if (h.forward_thread[r] != kNone) counter.number = h.forward_thread[r];
    }
    if (!counter.ops.empty() || !counter.launches.empty()) counters_.push_back(std::move(counter));
  }
}

std::vector<ForwardOps::Family> ForwardOps::families() const {
  const HostRanges& h = trace_.host_ranges();
  std::map<std::pair<ProcessId, std::uint32_t>, Family> by_thread;
  for (RangeId r = 0; r < h.size(); ++r) {
    if (h.kind[r] != HostKind::backward_node || h.sequence[r] == kNoSequence) continue;
    const ProcessId process = trace_.data().threads[h.thread[r]].process;
    Family& family = by_thread[{process, h.forward_thread[r]}];
    family.process = process;
    family.forward_thread = h.forward_thread[r];
    family.nodes.push_back(r);
  }
  std::vector<Family> out;
  for (auto& [key, family] : by_thread) out.push_back(std::move(family));
  return out;
}

const ForwardOps::Counter* ForwardOps::thread_of(const Family& family) const {
  const Counter* best = nullptr;
  std::size_t most = 0;
  for (const Counter& counter : counters_) {
    if (counter.process != family.process) continue;
    if (counter.number != kNone && family.forward_thread != kNone) {
      if (counter.number == family.forward_thread) return &counter;
      continue;
    }
    const std::size_t names = names_in_common(counter, family);
    const bool longer = best != nullptr && names == most && counter.ops.size() > best->ops.size();
    if (best == nullptr || names > most || longer) best = &counter, most = names;
  }
  return best;
}

std::size_t ForwardOps::names_in_common(const Counter& counter, const Family& family) const {
  const HostRanges& h = trace_.host_ranges();
  const std::size_t step = family.nodes.size() / kNamesLookedAt + 1;
  std::size_t names = 0;
  for (std::size_t i = 0; i < family.nodes.size(); i += step) {
    const RangeId op = made_in(counter, family.nodes[i]);
    if (op == kNone) continue;
    names += is_node_of(trace_.text(h.name[family.nodes[i]]), trace_.text(h.name[op])) ? 1U : 0U;
  }
  return names;
}

// Counts of a thread never fall, so both searches are by halves.
RangeId ForwardOps::made_in(const Counter& counter, RangeId node) const {
  const HostRanges& h = trace_.host_ranges();
  const std::uint32_t number = h.sequence[node];
  const auto beyond = [&](const std::vector<Count>& rows) {
    return std::partition_point(rows.begin(), rows.end(),
                                [&](const Count& row) { return row.next <= number; });
  };
  if (!counter.ops.empty()) {
    const auto behind = beyond(counter.ops);
    if (behind == counter.ops.begin()) return kNone;
    const Count& op = *(behind - 1);
    return op.begin <= h.begin[node] ? op.range : kNone;
  }
  const auto launch = beyond(counter.launches);
  if (launch == counter.launches.end() || launch->begin > h.begin[node]) return kNone;
  return launch->range;
}

}  // namespace stepscope
