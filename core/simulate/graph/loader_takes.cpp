// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/graph/loader_takes.hpp"

#include <algorithm>
#include <map>

#include "core/simulate/sample.hpp"

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

namespace {

using TakeRows = std::vector<std::size_t>;

constexpr std::size_t kWholeLoop = 3;  // takes in a step that are a loop of its own

class EpochFinder {
 public:
  EpochFinder(const ProcessIndex& index, const Steps& steps, const LoaderTakes& takes)
      : h_(index.trace.host_ranges()),
        rows_(index.trace.ranges_of(index.threads.loop())),
        steps_(steps),
        takes_(takes.all()) {}

  // `of_loader`: its takes.
  void find(const TakeRows& of_loader, std::vector<EpochBegin>& out) const {
    std::vector<std::size_t> records;  // from each take to the next
    for (std::size_t i = 0; i + 1 < of_loader.size(); ++i)
      records.push_back(records_between(of_loader[i], of_loader[i + 1]));
    if (records.empty()) return;
    const std::size_t usual = median_of(records);
    const std::vector<TakeRows> by_step = take_numbers_by_step(of_loader);
    const std::size_t usual_takes = usual_count(by_step);
    if (usual_takes >= kWholeLoop) add_loops_within_steps(of_loader, by_step, out);
    for (const TakeRows& step : by_step) {
      if (step.empty() || step.size() != usual_takes + 1) continue;
      const auto unlike = [&](std::size_t i) {
        return records[i] > usual ? records[i] - usual : usual - records[i];
      };
      std::size_t best = step.front();
      for (const std::size_t i : step)
        if (i < records.size() && (best >= records.size() || unlike(i) > unlike(best))) best = i;
      if (best < records.size()) out.push_back({of_loader[best], of_loader[best + 1]});
    }
  }

 private:
  // A loop over the loader that lies within a step, as an evaluation's does: it ends before the step
  // does, and begins anew where the next such step is not the very next one.
  static void add_loops_within_steps(const TakeRows& of_loader,
                                     const std::vector<TakeRows>& by_step,
                                     std::vector<EpochBegin>& out) {
    std::size_t before = by_step.size();  // the step before that took; none yet
    for (std::size_t step = 0; step < by_step.size(); ++step) {
      if (by_step[step].empty()) continue;
      if (before < by_step.size() && before + 1 < step)
        out.push_back({of_loader[by_step[before].back()], of_loader[by_step[step].front()]});
      before = step;
    }
  }

  static std::size_t median_of(std::vector<std::size_t> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  }

  static std::size_t usual_count(const std::vector<TakeRows>& by_step) {
    std::vector<std::size_t> counts;
    for (const TakeRows& step : by_step)
      if (!step.empty()) counts.push_back(step.size());
    return counts.empty() ? 0 : median_of(std::move(counts));
  }

  std::size_t records_between(std::size_t before, std::size_t after) const {
    const auto row_at = [this](std::int64_t time) {
      const auto begin = h_.begin.begin() + rows_.begin, end = h_.begin.begin() + rows_.end;
      return std::lower_bound(begin, end, time);
    };
    return static_cast<std::size_t>(row_at(takes_[after].time.begin) -
                                    row_at(takes_[before].time.end));
  }

  // The numbers of the loader's takes that begin in each step.
  std::vector<TakeRows> take_numbers_by_step(const TakeRows& of_loader) const {
    std::vector<TakeRows> out(steps_.list.size());
    std::uint32_t row = 0;
    for (std::size_t i = 0; i < of_loader.size(); ++i) {
      while (row < out.size() && host_time_of(steps_, row).end <= takes_[of_loader[i]].time.begin)
        ++row;
      if (row < out.size()) out[row].push_back(i);
    }
    return out;
  }

  const HostRanges& h_;
  const Rows rows_;
  const Steps& steps_;
  const std::span<const LoaderTake> takes_;
};

}  // namespace

std::vector<EpochBegin> epoch_begins(const ProcessIndex& index, const Steps& steps,
                                     const LoaderTakes& takes) {
  std::vector<TakeRows> by_loader(takes.loaders());
  for (std::size_t i = 0; i < takes.all().size(); ++i)
    by_loader[takes.all()[i].loader].push_back(i);
  std::vector<EpochBegin> out;
  const EpochFinder finder(index, steps, takes);
  for (const TakeRows& of_loader : by_loader) finder.find(of_loader, out);
  std::ranges::sort(out, {}, &EpochBegin::first);
  return out;
}

}  // namespace stepscope
