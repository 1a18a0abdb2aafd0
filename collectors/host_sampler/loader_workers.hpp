// SPDX-License-Identifier: Apache-2.0
// The workers of a DataLoader that this process forked, read from outside: nothing of ours runs in
// them. Their memory is laid out as ours was at the fork, so the interpreter's addresses hold; a
// child that has executed another program shows no such thread there, and is left alone.
//
// Only while a thread of this process waits for them. Workers started by `spawn` or `forkserver`
// have addresses of their own; they are not children of ours, or not so laid out.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>

#include "collectors/host_sampler/process_memory.hpp"
#include "collectors/host_sampler/python_state.hpp"
#include "collectors/host_sampler/sample_queue.hpp"
#include "collectors/host_sampler/sampled_place.hpp"

namespace stepscope::host_sampler {

class LoaderWorkers {
 public:
  // A thread has begun to wait: looks which children it has.
  void wait_begins(pid_t tid, std::int64_t now_ns, SampleQueue& queue) noexcept;
  // It still waits, or waits again without having been seen outside of the loader: the next epoch may
  // have another worker by now.
  void wait_goes_on(pid_t tid, std::int64_t now_ns, SampleQueue& queue) noexcept;
  // The next few of them in turn.
  void sample(PythonState& python, CodeTable& codes, SampleQueue& queue) noexcept;
  // Any thread may call this.
  std::uint64_t torn() const noexcept { return torn_.load(std::memory_order_relaxed); }
  bool was_refused() const noexcept { return refused_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t kMostWorkers = 128, kAtOnce = 4;
  struct Worker {
    pid_t pid = 0;  // 0: a free place
    Address thread = 0;
    std::uint64_t cpu = 0;    // at its last sample in this wait; 0: none yet
    bool is_other = false;    // no worker of a DataLoader
    std::uint8_t misses = 0;  // looks that found no thread: a fork may not be through yet
    bool listed = false;
    bool was_seen = false;  // as a worker of a DataLoader
  };

  void list(pid_t tid, std::int64_t now_ns, SampleQueue& queue) noexcept;
  bool list_children(pid_t tid) noexcept;  // false: that thread has none
  void drop_ended(SampleQueue& queue) noexcept;
  // Once for each worker that was seen.
  void tell_end(Worker& worker, SampleQueue& queue) noexcept;
  void add(pid_t pid) noexcept;
  void sample_one(Worker& worker, PythonState& python, CodeTable& codes,
                  SampleQueue& queue) noexcept;

  std::array<Worker, kMostWorkers> workers_{};
  std::size_t count_ = 0, next_ = 0;
  std::int64_t listed_at_ns_ = 0, asked_at_ns_ = 0;
  std::atomic<std::uint64_t> torn_{0};
  std::atomic<bool> refused_{false};
};

}  // namespace stepscope::host_sampler
