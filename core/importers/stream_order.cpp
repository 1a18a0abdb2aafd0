// SPDX-License-Identifier: Apache-2.0
#include "core/importers/trace_repairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/importers/usual_times.hpp"
#include "core/support/duration.hpp"

namespace stepscope {
namespace {

constexpr std::int64_t kRounding_ns = 2'000;  // rounding of clocks and of whole-microsecond traces
constexpr double kMuch = 0.5;                 // share of the record's own time
constexpr double kNoOrder = 0.2;              // share of kernels
constexpr std::int64_t kFarLonger = 10;       // times as long
constexpr std::size_t kFewestOthers = 3;

std::vector<WrongEnd> broken_copies(const DeviceOps& ops, const StreamOrder& order) {
  std::vector<WrongEnd> out;
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    const std::uint32_t op = order[i], next = order[i + 1];
    if (ops.stream[op] != ops.stream[next] || !is_plain_copy(ops, op)) continue;
    const std::int64_t over = ops.end[op] - ops.begin[next];
    const auto own = static_cast<double>(ops.end[op] - ops.begin[op]);
    if (over > kRounding_ns && static_cast<double>(over) > kMuch * own)
      out.push_back({op, ops.begin[next]});
  }
  return out;
}

// For each place of the order that of the next op of the stream which another call launched.
std::vector<std::size_t> followers(const DeviceOps& ops, const StreamOrder& order) {
  std::vector<std::size_t> out(order.size(), order.size());
  for (std::size_t i = order.size(); i-- > 0;) {
    if (i + 1 == order.size() || ops.stream[order[i]] != ops.stream[order[i + 1]]) continue;
    const std::uint32_t launch = ops.correlation[order[i]];
    const bool together = launch != 0 && launch == ops.correlation[order[i + 1]];
    out[i] = together ? out[i + 1] : i + 1;
  }
  return out;
}

struct BrokenKernels {
  std::vector<WrongEnd> kernels;
  std::vector<WrongEnd> without_order;  // those of streams that keep no order
  std::uint64_t in_such_streams = 0;
};

// Moves those that take far longer than others of their name: however many they are, that is no sign
// of a stream without an order, in which kernels take their usual times.
void take_far_longer(const DeviceOps& ops, std::vector<WrongEnd>& broken,
                     std::vector<WrongEnd>& far_longer) {
  std::vector<bool> is_broken(ops.size(), false);
  for (const WrongEnd& one : broken) is_broken[one.op] = true;
  const UsualTimes usual(ops, is_broken);
  const auto keeps_usual_time = [&](const WrongEnd& one) {
    const std::int64_t time = usual.of(one.op);
    return time < 0 || ops.end[one.op] - ops.begin[one.op] <= kFarLonger * time;
  };
  const auto rest = std::stable_partition(broken.begin(), broken.end(), keeps_usual_time);
  far_longer.insert(far_longer.end(), rest, broken.end());
  broken.erase(rest, broken.end());
}

// Goes from the last op to the first, so that an op is corrected before the one that precedes it.
BrokenKernels broken_kernels(const DeviceOps& ops, const StreamOrder& order) {
  const std::vector<std::size_t> behind = followers(ops, order);
  std::vector<std::int64_t> ends = ops.end;
  std::map<StreamId, std::pair<std::size_t, std::vector<WrongEnd>>> streams;  // kernels, and broken
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::uint32_t op = order[i];
    if (!is_kernel(ops, op)) continue;
    auto& [kernels, broken] = streams[ops.stream[op]];
    ++kernels;
    if (behind[i] == order.size()) continue;
    const std::uint32_t next = order[behind[i]];
    const std::int64_t begin = std::max(ops.begin[next], ops.begin[op]);
    const std::int64_t latest = is_kernel(ops, next) ? std::max(begin, ends[next]) : begin;
    if (ends[op] - begin <= kRounding_ns || ends[op] <= latest) continue;
    ends[op] = begin;
    broken.push_back({op, begin});
  }
  BrokenKernels out;
  for (auto& [stream, of_stream] : streams) {
    auto& [kernels, broken] = of_stream;
    const double most = std::max(2.0, kNoOrder * static_cast<double>(kernels));
    if (static_cast<double>(broken.size()) > most) take_far_longer(ops, broken, out.kernels);
    if (static_cast<double>(broken.size()) <= most) {
      out.kernels.insert(out.kernels.end(), broken.begin(), broken.end());
    } else {
      out.without_order.insert(out.without_order.end(), broken.begin(), broken.end());
      out.in_such_streams += kernels;
    }
  }
  return out;
}

void note_no_order(const BrokenKernels& found, std::vector<std::string>& notes) {
  if (found.without_order.empty()) return;
  notes.push_back(fmt::format(
      "{} of {} kernels end behind the end of a later one of their stream, where one runs after "
      "the other: their lengths are wrong (another unit than their begins?), or several ranks or "
      "processes stand in this file. What the device did is a guess",
      found.without_order.size(), found.in_such_streams));
}

// The last kernels of streams that outlast the host's last record, and others of their name by far.
std::vector<WrongEnd> endless_kernels(const TraceData& data, const StreamOrder& order) {
  const DeviceOps& ops = data.device_ops;
  const std::vector<std::int64_t>& ends = data.host_ranges.end;
  if (ends.empty()) return {};
  const std::int64_t last_end = *std::max_element(ends.begin(), ends.end());
  std::vector<WrongEnd> out;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t op = order[i];
    const bool is_last = i + 1 == order.size() || ops.stream[op] != ops.stream[order[i + 1]];
    if (!is_last || !is_kernel(ops, op) || ops.end[op] <= last_end) continue;
    std::size_t others = 0;
    std::int64_t longest = 0;
    for (std::uint32_t other = 0; other < ops.size(); ++other) {
      if (other == op || ops.name[other] != ops.name[op]) continue;
      ++others;
      longest = std::max(longest, ops.end[other] - ops.begin[other]);
    }
    const bool is_endless = ops.end[op] - ops.begin[op] > kFarLonger * longest;
    if (others >= kFewestOthers && is_endless) out.push_back({op, ops.begin[op] + longest});
  }
  return out;
}

void mend(TraceData& data, const std::vector<WrongEnd>& broken, const char* which, const char* what,
          const char* given) {
  if (broken.empty()) return;
  const std::int64_t taken = give_usual_times(data.device_ops, broken);
  data.health.notes.push_back(fmt::format(
      "{} record{} of {} {} ({} in all), which cannot be: they are given the time of {}",
      broken.size(), broken.size() == 1 ? "" : "s", which, what,
      format_duration(static_cast<double>(taken)), given));
}

}  // namespace

std::vector<bool> overrunning_ops(const TraceData& data) {
  const StreamOrder order = in_stream_order(data.device_ops);
  const BrokenKernels kernels = broken_kernels(data.device_ops, order);
  std::vector<bool> out(data.device_ops.size(), false);
  for (const auto& some : {broken_copies(data.device_ops, order), kernels.kernels,
                           kernels.without_order, endless_kernels(data, order)})
    for (const WrongEnd& one : some) out[one.op] = true;
  return out;
}

void mend_stream_order(TraceData& data) {
  const StreamOrder order = in_stream_order(data.device_ops);
  mend(data, broken_copies(data.device_ops, order), "copies",
       "with an end behind the begin of the next op of their stream",
       "a copy of their kind and size");
  const BrokenKernels found = broken_kernels(data.device_ops, order);
  if (data.source != SourceKind::stepscope) note_no_order(found, data.health.notes);
  mend(data, found.kernels, "kernels", "with an end behind the end of the next op of their stream",
       "others of their name, and end at the latest where the next op begins");
  mend(data, endless_kernels(data, order), "kernels",
       "that would outlast all else, and others of their name more than ten times", "those");
}

}  // namespace stepscope
