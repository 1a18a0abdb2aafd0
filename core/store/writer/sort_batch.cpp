// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <utility>

#include "core/store/writer/batch.hpp"

namespace stepscope {
namespace {

using Order = std::vector<std::uint32_t>;

// One 16-byte key a row: comparing two touches no column.
struct Key {
  std::uint32_t major;
  std::uint32_t row;
  std::int64_t time;
  friend bool operator<(const Key& a, const Key& b) {
    if (a.major != b.major) return a.major < b.major;
    return a.time != b.time ? a.time < b.time : a.row < b.row;
  }
};

// The rows in order of (major, time, row); empty where they are so already.
template <class Major>
Order order_of(const std::vector<std::int64_t>& time, Major major) {
  std::vector<Key> keys(time.size());
  for (std::uint32_t i = 0; i < keys.size(); ++i) keys[i] = {major(i), i, time[i]};
  if (std::is_sorted(keys.begin(), keys.end())) return {};
  std::sort(keys.begin(), keys.end());
  Order order(keys.size());
  std::transform(keys.begin(), keys.end(), order.begin(), [](const Key& key) { return key.row; });
  return order;
}

template <class T>
void reorder(const Order& order, std::vector<T>& column) {
  if (column.empty()) return;
  std::vector<T> out(order.size());
  std::transform(order.begin(), order.end(), out.begin(),
                 [&column](std::uint32_t row) { return column[row]; });
  column.swap(out);
}

template <class... Columns>
void reorder_all(const Order& order, Columns&... columns) {
  (reorder(order, columns), ...);
}

void sort_calls(Calls& c) {
  Order order(c.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&c](std::uint32_t a, std::uint32_t b) { return c.range[a] < c.range[b]; });
  reorder_all(order, c.range, c.api, c.correlation, c.stream, c.event, c.bytes);
}

void sort_collectives(Collectives& c) {
  Order order(c.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&c](std::uint32_t a, std::uint32_t b) { return c.range[a] < c.range[b]; });
  reorder_all(order, c.range, c.communicator, c.bytes, c.reduce, c.peer);
}

void sort_host_ranges(EventBatch& batch) {
  HostRanges& h = batch.host_ranges;
  const bool one_thread = h.thread.empty();
  const Order order =
      order_of(h.begin, [&](std::uint32_t row) { return one_thread ? 0 : h.thread[row]; });
  if (order.empty()) return;
  Order where(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) where[order[i]] = i;
  for (RangeId& range : batch.calls.range) range = where[range];
  for (RangeId& range : batch.collectives.range) range = where[range];
  sort_calls(batch.calls);
  sort_collectives(batch.collectives);
  reorder_all(order, h.begin, h.end, h.name, h.thread, h.kind, h.category, h.site, h.sequence,
              h.forward_thread);
}

void sort_device_ops(DeviceOps& d) {
  const Order order = order_of(d.begin, [](std::uint32_t) { return 0U; });
  if (order.empty()) return;
  reorder_all(order, d.begin, d.end, d.name, d.kind, d.stream, d.correlation, d.graph, d.graph_node,
              d.bytes, d.copy_kind, d.source_memory, d.target_memory, d.launch_config);
}

}  // namespace

void sort(EventBatch& batch) {
  sort_host_ranges(batch);
  sort_device_ops(batch.device_ops);
}

}  // namespace stepscope
