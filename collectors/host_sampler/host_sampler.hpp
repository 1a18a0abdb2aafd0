// SPDX-License-Identifier: Apache-2.0
// The sampler's thread: every 2 ms or so it reads where the threads that record are.
//
//   look     of each thread whose CPU clock has moved since the last one, whether or not it has
//            recorded meanwhile: what is looked at must not depend on how long a silence lasts. A
//            thread that sleeps is where it was; the last look at it asleep gets a row once it
//            wakes
//   pace     the thread sleeps 200 times as long as a look took of its CPU time (rests.hpp), so it
//            takes at most 0.5 % of a core; looks become rarer where they are dear. Rests differ by
//            up to a quarter, or a loop as long as they would be seen at one place alone
//   samples  thread -> SampleQueue -> rows of the store on the writer thread, once a second
//   loops    of a thread that records nothing, how far its loops are (loop_counts.hpp): two rows of
//            counters for each, with the sample's time
//
// It holds the recorder's lock while it copies whose the rings are, which may be unmapped
// otherwise; a look is left out where that lock is taken.
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
    bool records = true;         // false: the ring stands for a thread that records nothing
    Sample last;                 // its CPU clock 0: none yet
    std::int64_t asleep_at = 0;  // the latest look since then at which its CPU clock had not moved
    Address thread = 0;          // Python's state of it
    bool in_loader() const noexcept;  // at its last sample, as
    bool sleeps() const noexcept;
  };

  static void* thread_main(void* sampler);
  void run() noexcept;
  void look() noexcept;
  bool copy_rings() noexcept;
  void read_process_clock() noexcept;
  void read_children() noexcept;
  void sample(Watched& watched) noexcept;
  Place place_of(Watched& watched) noexcept;
  void count_loops(const Watched& watched, std::int64_t time) noexcept;
  void put(Watched& watched, const Sample& sample) noexcept;
  void put_asleep(Watched& watched) noexcept;
  void sleep(std::int64_t ns) noexcept;
  std::int64_t uneven(std::int64_t ns) noexcept;
  static void add_reading(std::int64_t time, const std::string& track, std::int64_t value,
                          Counters& counters, StoreWriter& store);
  static void add_loop(const LoopSample& sample, Counters& counters, StoreWriter& store);
  static void add_wait(const Sample& sample, Counters& counters, StoreWriter& store);
  void write_totals(StoreWriter& store) const noexcept;
  StringId text(recorder::NameId name, StoreWriter& store);
  SiteId site(recorder::SiteRef site, StoreWriter& store);
  ThreadId thread(const Sample& sample, StoreWriter& store);

  Options options_;
  ProcessMemory own_;
  PythonState python_;
  std::unique_ptr<CodeTable> codes_;
  std::unique_ptr<LoopCounts> loops_;
  LoaderWorkers workers_;
  SampleQueue queue_;
  LoopQueue loop_queue_;
  ProcessUseQueue process_use_;
  ChildUseQueue child_use_;
  std::int64_t process_clock_read_at_ = 0, children_read_at_ = 0;
  std::vector<Watched> watched_;
  std::uint32_t random_ = 1;
  bool works_ = false;
  // Its totals: written by it alone, read by the writer thread.
  std::atomic<std::uint64_t> taken_{0}, torn_{0}, looks_{0};
  std::atomic<std::int64_t> cpu_ns_{0};
  std::atomic<std::uint32_t> stop_{0};
  // The writer's.
  std::int64_t last_collect_ns_ = 0, first_asked_ns_ = 0;
  std::vector<pid_t> named_;  // workers
};

}  // namespace stepscope::host_sampler
