// SPDX-License-Identifier: Apache-2.0
// The actions of the host threads of a simulated run: a step is a linear list of them, repeated.
// Ranges open and close by actions of their own; a hand-off moves the list to the autograd worker
// and back.
#pragma once

#include <cstdint>
#include <vector>

namespace stepscope::simulator {

inline constexpr std::int64_t us = 1000;  // ns

enum class Act : std::uint8_t {
  python,     // the thread runs Python for host_ns
  framework,  // the thread runs framework code inside an op
  op_begin,
  op_end,
  cpu_op,  // an op that computes on the CPU
  launch,  // host_ns: the call; device_ns: the kernel
  graph,   // a graph of `count` kernels of device_ns
  collective,
  copy_pinned_h2d,
  copy_pinned_d2h,
  set,
  copy_pageable_h2d,  // the call returns kStagingTail before the record ends
  copy_pageable_d2h,  // the call returns after the op
  memcpy_blocking,    // cudaMemcpy from pinned memory: returns after the op
  event_record,
  stream_wait_event,
  sync_stream,
  sync_event,
  sync_device,
  alloc,
  query,
  data_wait,  // until the loader's next batch is ready: every device_ns one
  load_here,  // the loop makes its batch itself, for host_ns
  hand_off,
  node_begin,
  node_end,
  hand_back,
};

struct Action {
  Act act = Act::python;
  std::int64_t host_ns = 0;
  std::int64_t device_ns = 0;
  std::uint32_t stream = 0;
  std::uint32_t event = 0;
  std::uint32_t count = 1;
  std::uint32_t line = 0;  // line of the program's source; 0: not recorded
};

// The records of the profiler; causes can only be distinguished as far as it recorded.
struct Recording {
  bool python = true;
  bool ops = true;
  bool api_arguments = true;
};

struct Program {
  std::vector<Action> step;  // the loop's thread (and its autograd worker)
  std::vector<Action> side;  // an independent thread, repeated as long as the loop runs
  std::uint32_t steps = 6;
  bool ends_with_run = false;  // the last window ends with the run, else a step follows it
  double noise = 0.02;         // relative deviation of every duration
  Recording recording;
};

// The program of a seed. Every third seed is balanced: host and device need the same time for a
// step within 3 %, without a wait among them.
Program random_program(std::uint64_t seed);
Program balanced_program(std::uint64_t seed);

}  // namespace stepscope::simulator
