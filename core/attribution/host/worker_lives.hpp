// SPDX-License-Identifier: Apache-2.0
// Finds which DataLoader workers of a process lived at a moment, and which of them served the loop
// that waited then.
//
// A loop's wait begins with the first sample of its thread in the loader behind one that was outside
// of it or at another line. Each wait looks at every living worker once
// (collectors/host_sampler/loader_workers.hpp). So a worker lives until the row that says that it
// has ended, and at the latest until the first wait behind its last sample begins: workers of past
// epochs are none of later waits.
//
// A worker serves each line in whose waits it was seen at least a quarter of the times that it made
// a batch. One that was never seen making a batch counts for every line.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "core/model/ids.hpp"
#include "core/model/trace.hpp"

namespace stepscope {

// Counts how often each line was seen, and finds the most common one.

using SiteCounts = std::map<SiteId, std::uint32_t>;

// Returns the most common line, the one with the lowest id among equals; kNone if there is none.
inline SiteId most_common(const SiteCounts& counts) {
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? kNone : most->first;
}

class WorkerLives {
 public:
  // `rows`: samples of the workers of one process, in order of time. `process`: where the loop
  // that waits for them runs.
  WorkerLives(const Trace& trace, ProcessId process, const std::vector<std::uint32_t>& rows);

  // Whether a worker that was seen before is still there, by its process id.
  bool lives(std::int64_t worker, std::int64_t time) const;
  bool serves_wait_at(std::int64_t worker, std::int64_t time) const;

 private:
  struct Wait {
    std::int64_t begin;
    SiteId line;
  };
  struct Worker {
    std::int64_t last = 0;  // its last sample
    SiteCounts batches;     // how often it was seen making one, by the line that waited
  };
  SiteId waiting_line(std::int64_t time) const;

  std::vector<Wait> waits_;
  std::map<std::int64_t, Worker> workers_;
};

}  // namespace stepscope
