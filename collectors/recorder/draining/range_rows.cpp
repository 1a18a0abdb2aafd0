// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder/draining/range_rows.hpp"

#include <limits>
#include <vector>

namespace stepscope::recorder {
namespace {

constexpr std::int64_t kStillOpen = std::numeric_limits<std::int64_t>::min();

template <class T>
void keep_rows(std::vector<T>& column, const std::vector<bool>& keep) {
  std::size_t to = 0;
  for (std::size_t row = 0; row < column.size(); ++row) {
    if (keep[row]) column[to++] = column[row];
  }
  column.resize(to);
}

}  // namespace

void RangeRows::begin(OpenRange& range) {
  range.row = add(range, kStillOpen);
}

void RangeRows::whole(const OpenRange& range, std::int64_t end) {
  const std::uint32_t row = add(range, end);
  if (range.is_call) add_call(range, row);
}

void RangeRows::end(const OpenRange& range, std::int64_t time) {
  std::uint32_t row = range.row;
  if (row != kNone) {
    batch_.host_ranges.end[row] = time;
  } else {
    row = add(range, time);
  }
  if (range.is_call) add_call(range, row);
  if (range.has_message) add_collective(range, row);
}

// Flattened: calls of push_back took a quarter of the time of a range.
[[gnu::flatten]] std::uint32_t RangeRows::add(const OpenRange& range, std::int64_t end) {
  HostRanges& rows = batch_.host_ranges;
  rows.begin.push_back(range.begin);
  rows.end.push_back(end);
  rows.name.push_back(range.name);
  rows.thread.push_back(range.thread);
  rows.kind.push_back(range.kind);
  rows.category.push_back(range.category);
  rows.site.push_back(range.site);
  rows.sequence.push_back(range.sequence);
  if (range.forward_thread != kNone) {  // a column that most batches do without
    rows.forward_thread.resize(rows.size() - 1, kNone);
    rows.forward_thread.push_back(range.forward_thread);
  }
  return static_cast<std::uint32_t>(rows.size() - 1);
}

[[gnu::flatten]] void RangeRows::add_call(const OpenRange& range, std::uint32_t row) {
  const bool has_event = range.api == ApiKind::event_record ||
                         range.api == ApiKind::stream_wait_event ||
                         range.api == ApiKind::sync_event;
  Calls& calls = batch_.calls;
  calls.range.push_back(row);
  calls.api.push_back(range.api);
  calls.correlation.push_back(range.call.correlation);
  calls.stream.push_back(range.stream);
  calls.event.push_back(has_event ? range.call.value : 0);
  const bool has_bytes = !has_event && range.api != ApiKind::launch_kernel && range.call.value != 0;
  calls.bytes.push_back(has_bytes ? range.call.value : kUnknownBytes);
}

void RangeRows::add_collective(const OpenRange& range, std::uint32_t row) {
  Collectives& rows = batch_.collectives;
  rows.range.push_back(row);
  rows.communicator.push_back(range.message.communicator);
  rows.bytes.push_back(range.message.bytes);
  rows.reduce.push_back(range.reduce);
  rows.peer.push_back(range.peer);
}

void RangeRows::remove_open() {
  HostRanges& rows = batch_.host_ranges;
  std::vector<bool> keep(rows.size());
  std::vector<std::uint32_t> moved(rows.size());
  std::uint32_t kept = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    keep[row] = rows.end[row] != kStillOpen;
    moved[row] = kept;
    kept += keep[row] ? 1U : 0U;
  }
  for (RangeId& range : batch_.calls.range) range = moved[range];
  for (RangeId& range : batch_.collectives.range) range = moved[range];
  if (!rows.forward_thread.empty()) rows.forward_thread.resize(rows.size(), kNone);
  keep_rows(rows.forward_thread, keep);
  keep_rows(rows.begin, keep);
  keep_rows(rows.end, keep);
  keep_rows(rows.name, keep);
  keep_rows(rows.thread, keep);
  keep_rows(rows.kind, keep);
  keep_rows(rows.category, keep);
  keep_rows(rows.site, keep);
  keep_rows(rows.sequence, keep);
}

void RangeRows::list_open(OpenRange& range, std::uint32_t lane) {
  range.row = kNone;
  OpenRanges& rows = batch_.open;
  rows.begin.push_back(range.begin);
  rows.name.push_back(range.name);
  rows.thread.push_back(range.thread);
  rows.kind.push_back(range.kind);
  rows.category.push_back(range.category);
  rows.site.push_back(range.site);
  rows.sequence.push_back(range.sequence);
  rows.lane.push_back(lane);
}

}  // namespace stepscope::recorder
