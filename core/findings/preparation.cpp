// SPDX-License-Identifier: Apache-2.0
#include "core/findings/host_time.hpp"

#include <map>

namespace stepscope::rules {
namespace {

// Allocating and loading code are no making of data.
bool is_making(Cause cause) {
  return is_host(cause) && cause != Cause::host_alloc && cause != Cause::host_module_load;
}

}  // namespace

std::vector<Preparing> preparing(const JudgedRun& run, const std::vector<bool>& chosen) {
  const std::vector<Segment>& segments = run.segments();
  std::vector<Preparing> out;
  std::size_t segment = 0;
  for (std::size_t u = 0; u < run.calls.uploads.size(); ++u) {
    const Upload& upload = run.calls.uploads[u];
    while (segment < segments.size() && segments[segment].time.end <= upload.preparing.begin)
      ++segment;
    if (!chosen[u]) continue;
    for (std::size_t i = segment;
         i < segments.size() && segments[i].time.begin < upload.preparing.end; ++i) {
      const Segment& s = segments[i];
      if (!is_making(s.cause) || s.phase != upload.phase || !run.counts(s.time.begin)) continue;
      const std::int64_t ns = intersect(s.time, upload.preparing).length();
      if (ns > 0) out.push_back({i, ns, u});
    }
  }
  return out;
}

std::vector<bool> tiny_uploads(const JudgedRun& run) {
  const std::vector<Upload>& uploads = run.calls.uploads;
  const auto is_tiny = [](const Upload& upload) {
    return upload.pageable && upload.bytes <= kTinyBytes;
  };
  std::map<std::pair<SiteId, PhaseId>, std::uint64_t> counts;
  const auto key = [](const Upload& upload) {
    return std::pair{upload.site, upload.site == kNone ? upload.phase : 0};
  };
  for (const Upload& upload : uploads)
    if (is_tiny(upload) && run.counts(upload.time.begin)) ++counts[key(upload)];
  std::vector<bool> out;
  for (const Upload& upload : uploads)
    out.push_back(is_tiny(upload) && run.count_per_step(counts[key(upload)]) >= kManyTiny);
  return out;
}

}  // namespace stepscope::rules
