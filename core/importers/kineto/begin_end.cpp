// SPDX-License-Identifier: Apache-2.0
#include "core/importers/kineto/begin_end.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <tuple>

namespace stepscope::kineto {

BeginEnd::Thread BeginEnd::thread_of(const Event& event) {
  return {std::string(event.get(Field::pid).text), std::string(event.get(Field::tid).text)};
}

std::size_t BeginEnd::name_of(const Event& event) {
  const std::string_view name = event.get(Field::name).text;
  return name.empty() ? 0 : std::hash<std::string_view>{}(name);
}

BeginEnd::Rows BeginEnd::rows() const {
  return {data_.host_ranges.end.size(), data_.device_ops.end.size(), data_.syncs.end.size()};
}

void BeginEnd::begin(const Event& event, const Rows& before, FieldReader& fields) {
  const std::optional<std::int64_t> time = fields.time(event);
  if (!time) return;
  Half half{.time = *time, .name = name_of(event)};
  const Rows now = rows();
  const auto is_row_of = [&half](std::vector<std::int64_t>& ends, std::size_t row) {
    half.ends = &ends;
    half.row = row;
  };
  if (now.host_ranges > before.host_ranges) is_row_of(data_.host_ranges.end, before.host_ranges);
  if (now.device_ops > before.device_ops) is_row_of(data_.device_ops.end, before.device_ops);
  if (now.syncs > before.syncs) is_row_of(data_.syncs.end, before.syncs);
  threads_[thread_of(event)].push_back(half);
}

void BeginEnd::end(const Event& event, FieldReader& fields) {
  const std::optional<std::int64_t> time = fields.time(event);
  if (time)
    threads_[thread_of(event)].push_back({.time = *time, .name = name_of(event), .is_end = true});
}

bool BeginEnd::close(Halves& open, const Half& end, bool any_name) {
  auto last = open.rbegin();
  while (end.name != 0 && last != open.rend() && last->name != end.name) ++last;
  if (last == open.rend() && any_name) last = open.rbegin();
  if (last == open.rend()) return false;
  if (last->ends != nullptr) (*last->ends)[last->row] = end.time;
  open.erase(std::next(last).base());
  return true;
}

void BeginEnd::pair(Halves& halves, Lonely& lonely) {
  const auto by_time = [](const Half& a, const Half& b) { return a.time < b.time; };
  if (!std::is_sorted(halves.begin(), halves.end(), by_time))
    std::stable_sort(halves.begin(), halves.end(), [](const Half& a, const Half& b) {
      return std::tuple(a.time, !a.is_end) < std::tuple(b.time, !b.is_end);
    });
  Halves open, early;  // early: ends at a moment before which nothing of their name began
  const auto close_early = [&] {
    for (const Half& end : early) lonely.ends += close(open, end, true) ? 0U : 1U;
    early.clear();
  };
  for (const Half& half : halves) {
    if (!early.empty() && early.front().time != half.time) close_early();
    if (!half.is_end) {
      open.push_back(half);
    } else if (!close(open, half, false)) {
      early.push_back(half);
    }
  }
  close_early();
  lonely.begins += open.size();
}

BeginEnd::Lonely BeginEnd::pair() {
  Lonely lonely;
  for (auto& [thread, halves] : threads_) pair(halves, lonely);
  return lonely;
}

}  // namespace stepscope::kineto
