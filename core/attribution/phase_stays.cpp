// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/attribution.hpp"

#include <algorithm>

namespace stepscope {
namespace {

// The phase and those around it, outermost first.
std::vector<PhaseId> path_of(const std::vector<Phase>& phases, PhaseId phase) {
  std::vector<PhaseId> path;
  for (; phase != 0; phase = phases[phase].parent) path.push_back(phase);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace

std::vector<PhaseVisit> phase_stays(const Attribution& attribution) {
  std::vector<PhaseVisit> out;
  std::vector<std::size_t> open;  // rows of `out`, outermost first
  PhaseId last = 0;
  std::int64_t end = 0;
  for (const Segment& segment : attribution.process.segments) {
    if (segment.time.empty()) continue;
    if (segment.time.begin != end) open.clear();
    if (segment.phase != last || segment.time.begin != end) {
      const std::vector<PhaseId> path = path_of(attribution.phases, segment.phase);
      std::size_t same = 0;
      while (same < std::min(open.size(), path.size()) && out[open[same]].phase == path[same])
        ++same;
      open.resize(same);
      for (std::size_t i = same; i < path.size(); ++i) {
        open.push_back(out.size());
        out.push_back({path[i], segment.time});
      }
    }
    last = segment.phase;
    end = segment.time.end;
    for (const std::size_t row : open) out[row].time.end = end;
  }
  return out;
}

}  // namespace stepscope
