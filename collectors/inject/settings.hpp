// SPDX-License-Identifier: Apache-2.0
// What the launcher tells the injected library, through the environment.
//
//   STEPSCOPE_OUTPUT     absolute path of NAME.scope; absent: the library does nothing
//   STEPSCOPE_LEVEL      light, standard, deep
//   STEPSCOPE_OPS        1: ops also with a GPU
//   STEPSCOPE_ONLY       regular expression (POSIX extended) for the processes to record
//   STEPSCOPE_RING_KIB   size of a thread's ring; STEPSCOPE_FLUSH_MS: how often the writer looks
//   STEPSCOPE_NVML_MS    how often clocks, power and memory of the devices are sampled; 0: never
//   STEPSCOPE_EMPTY_CALLBACKS  1: record nothing of PyTorch, to measure what its own slow path
//   costs
//   STEPSCOPE_BARE_CUPTI  1: CUPTI records kernels, copies and sets into buffers that are thrown
//   away, and nothing else is recorded
#pragma once

#include <array>
#include <cstdint>

#include "collectors/recorder/level.hpp"

namespace stepscope::inject {

struct Settings {
  const char* output = nullptr;
  const char* only = nullptr;
  Level level = Level::standard;
  bool ops = false;
  bool empty_callbacks = false;
  bool bare_cupti = false;
  std::uint32_t ring_slots = 1U << 18U;
  std::uint32_t flush_ms = 100;
  std::uint32_t nvml_ms = 100;
};

Settings settings_from_environment() noexcept;

// The name that --only is matched against: the basename of the executable, or for an interpreter
// that of what it runs ("train.py", the module after -m, "-c").
std::array<char, 256> name_of_program(int argc, const char* const* argv) noexcept;

// An expression that cannot be compiled selects everything.
bool is_selected(const char* only, const char* name) noexcept;

}  // namespace stepscope::inject
