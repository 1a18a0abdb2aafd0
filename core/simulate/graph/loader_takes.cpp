// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/graph/loader_takes.hpp"

#include <algorithm>
#include <map>

namespace stepscope {
namespace {

// PyTorch names the range after the class of its iterator.
constexpr std::string_view kWithWorkers = "MultiProcessing";
constexpr std::string_view kWithoutWorkers = "SingleProcessDataLoaderIter.__next__";

std::vector<bool> names_with(const Trace& trace, std::string_view part) {
  std::vector<bool> out(trace.data().strings.size());
  for (StringId id = 0; id < out.size(); ++id)
    out[id] = trace.text(id).find(part) != std::string_view::npos;
  return out;
}

}  // namespace

AskedLoaders asked_loaders(const ProcessIndex& index, const Steps& steps) {
  const HostRanges& h = index.trace.host_ranges();
  const std::vector<bool> is_ask = names_with(index.trace, kWithoutWorkers);
  const Rows rows = index.trace.ranges_of(index.threads.loop());
  AskedLoaders out{.asks = std::vector<std::size_t>(steps.list.size(), 0)};
  std::size_t step = 0;
  for (RangeId r = rows.begin; r < rows.end; ++r) {
    while (step < out.asks.size() && steps.list[step].host.end <= h.begin[r]) ++step;
    const bool is_in_one = step < out.asks.size() && h.begin[r] >= steps.list.front().host.begin;
    if (is_in_one && is_ask[h.name[r]]) ++out.asks[step];
  }
  std::vector<std::size_t> sorted = out.asks;
  std::sort(sorted.begin(), sorted.end());
  if (!sorted.empty()) out.usual = sorted[sorted.size() / 2];
  return out;
}

LoaderTakes::LoaderTakes(const ProcessIndex& index) {
  const Trace& trace = index.trace;
  const HostRanges& h = trace.host_ranges();
  const std::vector<bool> is_take = names_with(trace, kWithWorkers);
  const ThreadId loop = index.threads.loop();
  std::map<std::pair<StringId, SiteId>, std::uint32_t> loaders;
  const Rows rows = trace.ranges_of(loop);
  for (RangeId r = rows.begin; r < rows.end; ++r) {
    const Interval time{h.begin[r], h.end[r]};
    if (!is_take[h.name[r]] || time.empty()) continue;
    if (!takes_.empty() && time.begin < takes_.back().time.end) continue;  // a frame inside
    const SiteId site = index.sites.at(loop, time.begin, r).site;
    const auto next = static_cast<std::uint32_t>(loaders.size());
    const std::uint32_t loader = loaders.try_emplace({h.name[r], site}, next).first->second;
    takes_.push_back({time, loader});
  }
  loaders_ = static_cast<std::uint32_t>(loaders.size());
}

const LoaderTake* LoaderTakes::at(std::int64_t time) const {
  const auto after =
      std::upper_bound(takes_.begin(), takes_.end(), time,
                       [](std::int64_t t, const LoaderTake& take) { return t < take.time.begin; });
  if (after == takes_.begin() || (after - 1)->time.end <= time) return nullptr;
  return &*(after - 1);
}

}  // namespace stepscope
