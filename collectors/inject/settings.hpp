// SPDX-License-Identifier: Apache-2.0
// The settings that the launcher passes to the injected library, through the environment.
//
//   STEPSCOPE_OUTPUT     absolute path of NAME.scope; absent: the library does nothing
//   STEPSCOPE_LEVEL      light, standard, deep
//   STEPSCOPE_OPS        1: ops also with a GPU
//   STEPSCOPE_NATIVE_LINES  1: places in compiled code, where a thread has no Python
//   STEPSCOPE_ONLY       regular expression (POSIX extended) for the processes to record
//   STEPSCOPE_LINES_IN   installed packages whose lines count as the user's, with commas between
//   STEPSCOPE_START_AFTER, STEPSCOPE_STEPS  "100" steps or "1500ms"
//   STEPSCOPE_WINDOW     "20/20": steps recorded, steps not
//   STEPSCOPE_CAPTURE_RANGE   name of a range, or cudaProfilerApi; STEPSCOPE_CAPTURE_SIGNAL: number
//   STEPSCOPE_RING_KIB   size of a thread's ring; STEPSCOPE_FLUSH_MS: how often the writer looks
//   STEPSCOPE_DEVICE_FLUSH_MS  how often CUPTI is asked for its records (500); 0: never before the
//                        end, as where XLA is in the process
//   STEPSCOPE_NVML_MS    how often clocks, power and memory of the devices are sampled; 0: never
//   STEPSCOPE_SAMPLE_US  how often silent threads are looked at, microseconds (2000); 0: never
//   STEPSCOPE_PM_US      how often hardware counters are sampled, microseconds; 0, or absent: never
//   STEPSCOPE_GRAPHS     nodes, or absent: every op of a CUDA graph is recorded; whole: a graph's
//                        launch is one op
//   STEPSCOPE_EMPTY_CALLBACKS  1: record nothing of PyTorch, to measure what its own slow path
//                              costs. Callbacks of CUPTI are not emptied
//   STEPSCOPE_WITHOUT    parts of device collection that are left out, with commas between, to find
//                        the one that disturbs a program: records, calls, lines, streams,
//                        graph_nodes, resources, state, overhead, flush
//                        (collectors/cupti/parts.hpp)
//   STEPSCOPE_WINDOW_LAYERS  1: windows record in turn the whole, kernels alone, the light level,
//                            kernels with callbacks that do nothing, the whole with the runtime's
//                            callbacks also of calls that are left to the driver
//   STEPSCOPE_BARE_CUPTI     nothing but CUPTI itself, to measure it:
//     records       kernels, copies and sets go into buffers that are thrown away
//     subscription  a subscriber alone
//     switched_off  kinds are on for a moment
#pragma once

#include <array>
#include <cstdint>

#include "collectors/cupti/collector.hpp"
#include "collectors/recorder/capture/capture_plan.hpp"
#include "collectors/recorder/level.hpp"

namespace stepscope::inject {

struct Settings {
  const char* output = nullptr;
  const char* only = nullptr;
  const char* lines_in = nullptr;
  Level level = Level::standard;
  bool ops = false;
  bool native_lines = false;
  bool empty_callbacks = false;
  bool window_layers = false;
  cupti::Bare bare_cupti = cupti::Bare::no;
  bool graphs_whole = false;
  cupti::Parts parts;
  std::uint32_t ring_slots = 1U << 18U;
  std::uint32_t flush_ms = 100;
  std::uint32_t device_flush_ms = 500;
  recorder::CapturePlan capture;
  const char* capture_range = nullptr;  // null: none
  bool profiler_control = false;        // cudaProfilerStart and Stop are the trigger
  int capture_signal = 0;               // 0: none
  std::uint32_t nvml_ms = 100;
  std::uint32_t sample_us = 2000;
  std::uint32_t pm_us = 0;
};

Settings settings_from_environment() noexcept;

// The name that --only is matched against: the basename of the executable, or for an interpreter
// that of what it runs ("train.py", the module after -m, "-c").
std::array<char, 256> name_of_program(int argc, const char* const* argv) noexcept;

// An expression that cannot be compiled selects everything.
bool is_selected(const char* only, const char* name) noexcept;

}  // namespace stepscope::inject
