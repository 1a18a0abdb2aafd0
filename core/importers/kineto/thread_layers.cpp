// SPDX-License-Identifier: Apache-2.0
#include "core/importers/kineto/thread_layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace stepscope::kineto {
namespace {

constexpr unsigned kCalls = 1, kAnnotations = 2, kOthers = 4;

unsigned layer_of(HostKind kind) {
  if (family_of(kind) == HostFamily::api) return kCalls;
  return family_of(kind) == HostFamily::annotation ? kAnnotations : kOthers;
}

struct Layers {
  std::vector<unsigned> kinds;      // by thread
  std::vector<std::uint64_t> work;  // by thread: ranges that are no annotations
};

Layers layers_of(const TraceData& data) {
  Layers out{std::vector<unsigned>(data.threads.size(), 0),
             std::vector<std::uint64_t>(data.threads.size(), 0)};
  const HostRanges& h = data.host_ranges;
  for (std::size_t row = 0; row < h.size(); ++row) {
    const unsigned layer = layer_of(h.kind[row]);
    out.kinds[h.thread[row]] |= layer;
    out.work[h.thread[row]] += layer == kAnnotations ? 0U : 1U;
  }
  return out;
}

std::vector<RangeId> ranges_of_both(const HostRanges& h, ThreadId one, ThreadId other) {
  std::vector<RangeId> out;
  for (RangeId row = 0; row < h.size(); ++row)
    if (h.thread[row] == one || h.thread[row] == other) out.push_back(row);
  std::stable_sort(out.begin(), out.end(), [&h](RangeId a, RangeId b) {
    return std::tuple(h.begin[a], -h.end[a]) < std::tuple(h.begin[b], -h.end[b]);
  });
  return out;
}

// Calls lie in ops, annotations around them.
bool nest(const HostRanges& h, ThreadId layer, ThreadId thread, bool lies_inside) {
  std::vector<RangeId> open;
  std::map<RangeId, bool> meets;  // by range of the layer
  for (const RangeId range : ranges_of_both(h, layer, thread)) {
    while (!open.empty() && h.end[open.back()] <= h.begin[range]) open.pop_back();
    const bool crosses = !open.empty() && h.end[range] > h.end[open.back()];
    if (crosses && h.thread[range] != h.thread[open.back()]) return false;
    if (h.thread[range] == layer) meets.emplace(range, false);
    for (const RangeId outer : open) {
      if (h.thread[outer] == h.thread[range]) continue;
      const bool is_inside = h.thread[range] == layer;
      if (is_inside == lies_inside) meets[is_inside ? range : outer] = true;
    }
    open.push_back(range);
  }
  const auto meeting =
      std::count_if(meets.begin(), meets.end(), [](const auto& one) { return one.second; });
  return 2 * meeting > std::ssize(meets);
}

ThreadId of_same_number(const TraceData& data, const Layers& layers, ThreadId layer) {
  for (ThreadId t = 0; t < layers.kinds.size(); ++t) {
    const bool is_same = data.threads[t].tid >= 0 && data.threads[t].tid == data.threads[layer].tid;
    if (t != layer && is_same && layers.kinds[t] != 0 && (layers.kinds[t] & kCalls) == 0) return t;
  }
  return kNone;
}

ThreadId of_same_process(const TraceData& data, const Layers& layers, ThreadId layer) {
  ThreadId best = kNone;
  for (ThreadId t = 0; t < layers.kinds.size(); ++t) {
    const bool is_work = (layers.kinds[t] & kOthers) != 0 || layers.kinds[layer] == kAnnotations;
    const bool can_be = is_work && t != layer &&
                        data.threads[t].process == data.threads[layer].process &&
                        data.threads[t].process != kNone && layers.work[t] > 0;
    if (can_be && (best == kNone || layers.work[t] > layers.work[best])) best = t;
  }
  const bool has_calls_too =
      best != kNone && layers.kinds[layer] == kCalls && (layers.kinds[best] & kCalls) != 0;
  return best != kNone && !has_calls_too &&
                 nest(data.host_ranges, layer, best, layers.kinds[layer] == kCalls)
             ? best
             : kNone;
}

}  // namespace

std::vector<ThreadId> thread_layers(TraceData& data) {
  const Layers layers = layers_of(data);
  std::vector<ThreadId> out(layers.kinds.size(), kNone);
  for (ThreadId t = 0; t < out.size(); ++t) {
    if (layers.kinds[t] != kCalls && layers.kinds[t] != kAnnotations) continue;
    if (layers.kinds[t] == kCalls) out[t] = of_same_number(data, layers, t);
    if (out[t] != kNone) continue;
    out[t] = of_same_process(data, layers, t);
    if (out[t] != kNone)
      data.health.notes.push_back(fmt::format(
          "what stands under thread {} nests with the work of thread {} and is read as that "
          "thread's",
          data.threads[t].tid, data.threads[out[t]].tid));
  }
  for (ThreadId& thread : out)
    while (thread != kNone && out[thread] != kNone && out[thread] != thread) thread = out[thread];
  return out;
}

}  // namespace stepscope::kineto
