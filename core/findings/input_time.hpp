// SPDX-License-Identifier: Apache-2.0
// What its input costs the loop's thread: waiting for it, and making it.
//
//   waiting    host.data_wait, and host.wait_thread of the loop outside backward and optimizer, and
//              outside a module's forward: what a model waits for is not the loop's input
//   making     host time between the call before an upload and the upload, in its phase
//              (host_time.hpp), where the upload is no tiny one (tiny_h2d); without a device all time
//              in PyTorch's own mark of a loader
//   What the loop does to take a batch from a worker (host.data_take), what starting a loader's workers
//   costs, and what another finding explains belong to neither. Times in nanoseconds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/findings/judged_run.hpp"
#include "core/findings/price.hpp"
#include "core/findings/worker_starts.hpp"

namespace stepscope::rules {

struct InputTime {
  InputTime(const JudgedRun& run, const WorkerStarts& starts);

  // Whether most of it waits; whether most of it is made in a module's forward.
  bool waits() const { return 2 * waiting > price.total(); }
  bool is_in_forward() const { return 2 * in_forward > price.total(); }

  Price price;
  std::int64_t waiting = 0;     // the part of it that waits for a loader or another thread
  std::int64_t in_forward = 0;  // made before an upload that a module's forward does
  bool in_loader = false;       // some of it is a loader's
  Explained parts;

 private:
  void add(const Segment& s, std::size_t segment, std::int64_t ns);
  void add_waits(const JudgedRun& run, const WorkerStarts& starts);
  void add_made_before_uploads(const JudgedRun& run);
};

}  // namespace stepscope::rules
