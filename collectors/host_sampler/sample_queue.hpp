// SPDX-License-Identifier: Apache-2.0
// Samples, the counts of loops that go with some, and readings of the process's clock, on their way
// from the sampler's thread to the writer's.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "collectors/host_sampler/loop_counts.hpp"
#include "collectors/recorder/recorder.hpp"
#include "collectors/recorder/single_producer_queue.hpp"

namespace stepscope::host_sampler {

struct Sample {
  std::int64_t time = 0;  // CLOCK_REALTIME
  pid_t tid = 0;          // for a worker, its process id
  std::uint64_t cpu = 0;
  std::uint64_t waited = 0;  // for a core, ready to run; 0: not known
  recorder::SiteRef site = 0;
  recorder::NameId called = 0, innermost = 0;
  std::uint8_t flags = 0;
  AsleepIn asleep_in = AsleepIn::unknown;
};

using SampleQueue = recorder::SingleProducerQueue<Sample, 8192>;  // some seconds of a busy sampler

struct LoopSample {
  std::int64_t time = 0;  // time of the sample that it belongs to
  pid_t tid = 0;
  LoopCount count;
};
using LoopQueue = recorder::SingleProducerQueue<LoopSample, 8192>;

// One reading holds what all threads of the process have used so far.
struct ProcessUse {
  std::int64_t time = 0;         // CLOCK_REALTIME
  std::int64_t cpu = 0;          // ns
  std::int64_t system = 0;       // ns of that in the kernel
  std::int64_t page_faults = 0;  // those that read no file
};
using ProcessUseQueue = recorder::SingleProducerQueue<ProcessUse, 1024>;

struct ChildUse {
  std::int64_t time = 0;  // CLOCK_REALTIME
  pid_t pid = 0;
  std::int64_t cpu = 0;  // ns so far
};
using ChildUseQueue = recorder::SingleProducerQueue<ChildUse, 4096>;

}  // namespace stepscope::host_sampler
