// SPDX-License-Identifier: Apache-2.0
#include "core/summary/work_counts.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "core/attribution/process_index.hpp"
#include "core/steps/finders/marks.hpp"
#include "core/summary/rows/operation_rows.hpp"

namespace stepscope {
namespace {

enum Counter : std::uint8_t {
  kKernels,
  kLaunches,
  kGraphLaunches,
  kHostSyncs,
  kAllocations,
  kCopiesH2d,
  kCopiesD2h,
  kCopiesD2d,
  kBytesH2d,
  kBytesD2h,
  kBytesD2d,
  kMemsets,
  kCpuOps,
  kLoaderOps,
  kCounters
};

constexpr std::array<std::string_view, kCounters> kNames = {
    "kernels",    "launches",   "graph_launches", "host_syncs", "allocations",
    "copies_h2d", "copies_d2h", "copies_d2d",     "bytes_h2d",  "bytes_d2h",
    "bytes_d2d",  "memsets",    "cpu_ops",        "loader_ops"};

using Counts = std::array<std::uint64_t, kCounters>;

// The step in which the host was at a time: from its begin to the next one's begin; the last to its
// end.
class HostSteps {
 public:
  explicit HostSteps(const Steps& steps) {
    for (const Step& step : steps.list) begins_.push_back(step.host.begin);
    end_ = steps.list.empty() ? 0 : steps.list.back().host.end;
  }

  std::optional<std::size_t> of(std::int64_t time) const {
    if (begins_.empty() || time < begins_.front() || time >= end_) return std::nullopt;
    const auto after = std::upper_bound(begins_.begin(), begins_.end(), time);
    return static_cast<std::size_t>(after - begins_.begin()) - 1;
  }

 private:
  std::vector<std::int64_t> begins_;
  std::int64_t end_ = 0;
};

// An operation at a line, whatever its step.
struct PlaceKey {
  CodeLine line;
  StringId name = 0;
  bool is_annotation = false;
  friend bool operator==(const PlaceKey&, const PlaceKey&) = default;
};

struct PlaceHash {
  std::size_t operator()(const PlaceKey& key) const {
    const std::uint64_t line =
        (std::uint64_t{key.line.site} << 2U) | static_cast<std::uint64_t>(key.line.direction);
    return static_cast<std::size_t>((line * 0x9e3779b97f4a7c15ULL) ^
                                    (std::uint64_t{key.name} * 0xc2b2ae3d27d4eb4fULL));
  }
};

using PlaceCounts = std::unordered_map<PlaceKey, Counts, PlaceHash>;

// Counts what each step did, and, over the counted steps, what was done at each place.
class Tally {
 public:
  Tally(const Trace& trace, const Steps& steps, const std::vector<std::uint32_t>& counted,
        const ProcessIndex* index)
      : trace_(trace),
        process_(steps.process),
        host_(steps),
        index_(index),
        by_step_(steps.list.size()),
        is_counted_(steps.list.size(), false) {
    for (const std::uint32_t step : counted) is_counted_[step] = true;
  }

  void add_calls() {
    for (CallId call = 0; call < trace_.calls().size(); ++call) {
      const RangeId range = trace_.calls().range[call];
      const ApiKind api = trace_.calls().api[call];
      if (api == ApiKind::launch_kernel) add_range(range, kLaunches);
      if (api == ApiKind::launch_graph) add_range(range, kGraphLaunches);
      if (is_sync(api) || api == ApiKind::memcpy_blocking) add_range(range, kHostSyncs);
      if (api == ApiKind::alloc_device || api == ApiKind::alloc_async || api == ApiKind::alloc_host)
        add_range(range, kAllocations);
    }
  }

  // What PyTorch's loader runs to make a batch is counted apart: its workers would do it unseen, so
  // that another number of workers would look like other work.
  void add_cpu_ops() {
    const HostRanges& ranges = trace_.host_ranges();
    std::vector<std::int64_t> fetched_until(trace_.data().threads.size(), 0);
    for (RangeId range = 0; range < ranges.size(); ++range) {
      std::int64_t& until = fetched_until[ranges.thread[range]];
      if (is_annotation(ranges.kind[range])) {
        const std::string_view name = trace_.text(ranges.name[range]);
        if (!is_loader_fetch(name)) continue;
        until = std::max(until, ranges.end[range]);
        has_loader_ = true;
        has_workers_ = has_workers_ || name.find("_MultiProcessingDataLoaderIter") != name.npos;
      } else if (ranges.kind[range] == HostKind::op) {
        add_range(range, ranges.begin[range] < until ? kLoaderOps : kCpuOps);
      }
    }
  }

  void add_ops() {
    const DeviceOps& ops = trace_.device_ops();
    for (DeviceOpId op = 0; op < ops.size(); ++op) {
      if (trace_.data().streams[ops.stream[op]].process != process_) continue;
      if (ops.kind[op] == DeviceOpKind::kernel) add_op(op, kKernels, 1);
      if (ops.kind[op] == DeviceOpKind::memset) add_op(op, kMemsets, 1);
      if (ops.kind[op] == DeviceOpKind::memcpy) add_copy(op);
    }
  }

  bool was_recorded(std::size_t counter) const {
    const Collected& collected = trace_.collected();
    switch (counter) {
      case kLaunches:
      case kGraphLaunches:
      case kHostSyncs:
      case kAllocations:
        return collected.api_calls;
      case kCpuOps:
        return collected.framework_ops;
      case kLoaderOps:
        return collected.framework_ops && has_loader_ && !has_workers_;
      default:
        return collected.device_ops;
    }
  }

  const std::vector<Counts>& by_step() const { return by_step_; }
  const PlaceCounts& by_place() const { return by_place_; }

  std::uint64_t in_recording(std::size_t counter) const {
    std::uint64_t sum = outside_[counter];
    for (const Counts& step : by_step_) sum += step[counter];
    return sum;
  }

 private:
  template <class PlaceOf>
  void add(std::optional<std::size_t> step, Counter counter, std::uint64_t amount,
           PlaceOf place_of) {
    (step ? by_step_[*step] : outside_)[counter] += amount;
    if (index_ != nullptr && step && is_counted_[*step]) by_place_[place_of()][counter] += amount;
  }

  void add_range(RangeId range, Counter counter) {
    const HostRanges& ranges = trace_.host_ranges();
    if (trace_.data().threads[ranges.thread[range]].process != process_) return;
    add(host_.of(ranges.begin[range]), counter, 1, [&]() -> PlaceKey {
      return {index_->sites.at(ranges.thread[range], ranges.begin[range], range),
              ranges.name[range], is_annotation(ranges.kind[range])};
    });
  }

  void add_op(DeviceOpId op, Counter counter, std::uint64_t amount) {
    const CallId call = trace_.launch_of(op);
    const std::int64_t time = call == kNone
                                  ? trace_.device_ops().begin[op]
                                  : trace_.host_ranges().begin[trace_.calls().range[call]];
    add(host_.of(time), counter, amount, [&]() -> PlaceKey {
      return {index_->places.of(op).line, trace_.device_ops().name[op], false};
    });
  }

  void add_copy(DeviceOpId op) {
    const CopyKind kind = trace_.device_ops().copy_kind[op];
    const std::uint64_t bytes = trace_.device_ops().bytes[op];
    const auto add_both = [&](Counter copies, Counter sum) {
      add_op(op, copies, 1);
      if (bytes != kUnknownBytes) add_op(op, sum, bytes);
    };
    if (kind == CopyKind::host_to_device) add_both(kCopiesH2d, kBytesH2d);
    if (kind == CopyKind::device_to_host) add_both(kCopiesD2h, kBytesD2h);
    if (kind == CopyKind::device_to_device || kind == CopyKind::peer)
      add_both(kCopiesD2d, kBytesD2d);
  }

  const Trace& trace_;
  ProcessId process_;
  HostSteps host_;
  const ProcessIndex* index_;
  std::vector<Counts> by_step_;
  std::vector<bool> is_counted_;
  Counts outside_{};
  PlaceCounts by_place_;
  bool has_loader_ = false, has_workers_ = false;
};

// Sites that differ only in their function are one line, as in the table of cells.
using PlaceRow = std::tuple<std::string_view, std::uint32_t, Direction, std::string>;

std::vector<CountPlace> places_of(const Trace& trace, const PlaceCounts& counts,
                                  std::size_t counter) {
  std::map<PlaceRow, CountPlace> rows;
  for (const auto& [key, sums] : counts) {
    if (sums[counter] == 0) continue;
    const Site site = key.line.site == kNone ? Site{} : trace.data().sites[key.line.site];
    const std::string operation = operation_name(trace.text(key.name), key.is_annotation);
    CountPlace& row = rows[{trace.text(site.file), site.line, key.line.direction, operation}];
    const std::string_view function = trace.text(site.function);
    if (row.total == 0 || function < row.function) row.function = function;
    row.file = trace.text(site.file);
    row.line = site.line;
    row.operation = operation;
    row.direction = key.line.direction;
    row.total += sums[counter];
  }
  std::vector<CountPlace> out;
  for (auto& [key, row] : rows) out.push_back(std::move(row));
  return out;
}

// `counts` are of single steps, at least one.
void set_steps(std::vector<std::uint64_t> counts, WorkCount& row) {
  std::sort(counts.begin(), counts.end());
  const std::size_t beyond = (counts.size() - 1) / 10;
  row.total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  row.least_a_step = counts.front();
  row.most_a_step = counts.back();
  row.p10_a_step = counts[beyond];
  row.p90_a_step = counts[counts.size() - 1 - beyond];
}

}  // namespace

std::vector<std::string_view> work_count_names() {
  return {kNames.begin(), kNames.end()};
}

std::vector<WorkCount> count_work(const Trace& trace, const Steps& steps,
                                  const std::vector<std::uint32_t>& counted,
                                  const ProcessIndex* index) {
  if (counted.empty()) return {};
  Tally tally(trace, steps, counted, index);
  tally.add_calls();
  tally.add_ops();
  tally.add_cpu_ops();
  std::vector<WorkCount> out;
  for (std::size_t counter = 0; counter < kCounters; ++counter) {
    if (!tally.was_recorded(counter)) continue;
    WorkCount row{.name = std::string(kNames[counter]),
                  .p10_a_step = {},
                  .p90_a_step = {},
                  .in_recording = tally.in_recording(counter),
                  .places = places_of(trace, tally.by_place(), counter)};
    std::vector<std::uint64_t> steps_counts;
    for (const std::uint32_t step : counted) steps_counts.push_back(tally.by_step()[step][counter]);
    set_steps(std::move(steps_counts), row);
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace stepscope
