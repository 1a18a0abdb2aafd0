// SPDX-License-Identifier: Apache-2.0
#include "core/importers/kineto/begin_end.hpp"

#include <iterator>

namespace stepscope::kineto {

BeginEnd::Thread BeginEnd::thread_of(const Event& event) {
  return {std::string(event.get(Field::pid).text), std::string(event.get(Field::tid).text)};
}

BeginEnd::Rows BeginEnd::rows() const {
  return {data_.host_ranges.end.size(), data_.device_ops.end.size(), data_.syncs.end.size()};
}

void BeginEnd::begin(const Event& event, const Rows& before) {
  Row row;
  const Rows now = rows();
  if (now.host_ranges > before.host_ranges) row = {&data_.host_ranges.end, before.host_ranges, {}};
  if (now.device_ops > before.device_ops) row = {&data_.device_ops.end, before.device_ops, {}};
  if (now.syncs > before.syncs) row = {&data_.syncs.end, before.syncs, {}};
  row.name = event.get(Field::name).text;
  open_[thread_of(event)].push_back(std::move(row));
}

bool BeginEnd::end(const Event& event, FieldReader& fields) {
  const auto found = open_.find(thread_of(event));
  if (found == open_.end() || found->second.empty()) return false;
  const std::string_view name = event.get(Field::name).text;
  auto last = found->second.rbegin();
  while (!name.empty() && last != found->second.rend() && last->name != name) ++last;
  if (last == found->second.rend()) last = found->second.rbegin();
  const Row row = *last;
  found->second.erase(std::next(last).base());
  const std::optional<std::int64_t> time = fields.time(event);
  if (row.ends != nullptr && time) (*row.ends)[row.row] = *time;
  return true;
}

std::uint64_t BeginEnd::open() const {
  std::uint64_t out = 0;
  for (const auto& [thread, rows] : open_) out += rows.size();
  return out;
}

}  // namespace stepscope::kineto
