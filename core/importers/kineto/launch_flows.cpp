// SPDX-License-Identifier: Apache-2.0
#include "core/importers/kineto/launch_flows.hpp"

#include <unordered_set>
#include <utility>
#include <vector>

namespace stepscope::kineto {
namespace {

constexpr std::string_view kCategory = "async_npu";
constexpr std::uint32_t kFirstNumber = std::uint32_t{1} << 31U;  // above those of the trace

}  // namespace

void LaunchFlows::add(const Event& event, char phase) {
  if (event.get(Field::cat).text != kCategory) return;
  const std::optional<std::int64_t> time = fields_.time(event);
  if (!time) return;
  const std::string id(event.get(Field::flow_id).text);
  if (phase == 's') begins_[id] = {entities_.thread_of(event), *time};
  if (phase == 'f') ends_[id] = {*time, fields_.id<std::uint32_t>(event, Field::tid, 0)};
}

void LaunchFlows::add_call(const Begin& begin, std::uint32_t number) {
  HostRanges& h = data_.host_ranges;
  h.begin.push_back(begin.time);
  h.end.push_back(begin.time);
  h.name.push_back(data_.strings.intern("launch"));
  h.thread.push_back(begin.thread);
  h.kind.push_back(HostKind::runtime_call);
  h.category.push_back(0);
  h.site.push_back(kNone);
  h.sequence.push_back(kNoSequence);
  h.forward_thread.push_back(kNone);
  Calls& c = data_.calls;
  c.range.push_back(static_cast<RangeId>(h.size() - 1));
  c.api.push_back(ApiKind::launch_kernel);
  c.correlation.push_back(number);
  c.stream.push_back(kNone);
  c.event.push_back(0);
  c.bytes.push_back(kUnknownBytes);
}

void LaunchFlows::forget_other_numbers(std::size_t calls) {
  const std::unordered_set<std::uint32_t> used(data_.device_ops.correlation.begin(),
                                               data_.device_ops.correlation.end());
  for (std::size_t call = 0; call < calls; ++call) {
    if (used.contains(data_.calls.correlation[call])) continue;
    data_.calls.correlation[call] = 0;
    if (is_launch(data_.calls.api[call])) data_.calls.api[call] = ApiKind::other;
  }
}

void LaunchFlows::finish() {
  DeviceOps& d = data_.device_ops;
  std::map<std::pair<std::int64_t, std::uint32_t>, DeviceOpId> at;  // by begin and stream
  for (DeviceOpId op = 0; op < d.size() && !ends_.empty(); ++op)
    if (d.stream[op] != kNone)
      at.emplace(std::pair(d.begin[op], data_.streams[d.stream[op]].stream), op);
  const std::size_t calls = data_.calls.size();
  std::uint32_t number = kFirstNumber;
  for (const auto& [id, end] : ends_) {
    const auto begin = begins_.find(id);
    const auto op = at.find({end.time, end.stream});
    if (begin == begins_.end() || op == at.end()) continue;
    d.correlation[op->second] = number;
    add_call(begin->second, number++);
  }
  if (data_.calls.size() > calls) forget_other_numbers(calls);
}

}  // namespace stepscope::kineto
