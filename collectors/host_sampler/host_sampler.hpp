// SPDX-License-Identifier: Apache-2.0
// The sampler's thread: every 2 ms it looks which rings have been silent for a tick, and reads
// where their threads are.
//
//   silence  a ring whose write position has not moved between two looks. Its first look gives a
//            sample; further ones come while the thread's CPU clock moves: a thread that sleeps is
//            where it was
//   pace     the thread sleeps at least 250 times as long as a look took of its CPU time, so it
//            takes at most 0.4 % of a core; looks become rarer where they are dear. The look at
//            write positions alone that goes before such a rare one is 1 ms ahead of it
//   samples  thread -> SampleQueue -> rows of the store on the writer thread, once a second
//
// It holds the recorder's lock while it copies the write positions of the rings, which may be
// unmapped otherwise; a look is left out where that lock is taken.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "collectors/host_sampler/loader_workers.hpp"
#include "collectors/recorder/draining/row_source.hpp"
#include "collectors/recorder/live_files/shared_layout.hpp"

namespace stepscope::host_sampler {

// Looks stop, and the thread sleeps, until they are switched on again. For measuring what they cost
// within one process (tests/bench/sampler_cost.py).
void switch_sampling(bool on) noexcept;

struct Options {
  std::uint32_t period_us = 2000;
  bool reads_frames = true;
  Whose whose = Whose::own;
};

class HostSampler final : public recorder::RowSource {
 public:
  explicit HostSampler(const Options& options) noexcept;

  // Once, in a process that records; false: no thread could be made.
  bool start() noexcept;

  // On the writer thread.
  bool due(std::int64_t now_ns) noexcept override;
  bool collect(EventBatch& batch, StoreWriter& store, bool last) noexcept override;
  bool follows_capture() const noexcept override { return false; }
  Totals totals() const noexcept override { return {.dropped = queue_.dropped()}; }

 private:
  struct Watched {  // a ring
    const recorder::RingHeader* ring = nullptr;
    pid_t tid = 0;
    std::uint64_t head = 0;
    bool is_silent = false;
    bool in_loader = false;
    std::uint64_t cpu = 0;  // at the last sample of this silence; 0: none yet
    Address thread = 0;     // Python's state of it
  };

  static void* thread_main(void* sampler);
  void run() noexcept;
  void look() noexcept;
  bool copy_heads() noexcept;
  void sample(Watched& watched) noexcept;
  void rest(std::int64_t ns) noexcept;
  void sleep(std::int64_t ns) noexcept;
  static void add_wait(const Sample& sample, Counters& counters, StoreWriter& store);
  void tell_totals(StoreWriter& store) const noexcept;
  StringId text(recorder::NameId name, StoreWriter& store);
  SiteId site(recorder::SiteRef site, StoreWriter& store);
  ThreadId thread(const Sample& sample, StoreWriter& store);

  Options options_;
  ProcessMemory own_;
  PythonState python_;
  std::unique_ptr<CodeTable> codes_;
  LoaderWorkers workers_;
  SampleQueue queue_;
  std::vector<Watched> watched_;
  std::uint64_t taken_ = 0, torn_ = 0, looks_ = 0;
  bool works_ = false;
  std::atomic<std::int64_t> cpu_ns_{0};  // that the thread took
  std::atomic<std::uint32_t> stop_{0};
  // The writer's.
  std::int64_t last_collect_ns_ = 0;
  std::vector<pid_t> named_;  // workers
};

}  // namespace stepscope::host_sampler
