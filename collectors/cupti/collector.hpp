// SPDX-License-Identifier: Apache-2.0
// Device activity and CUDA calls of this process through CUPTI.
//
//   start      once, while the driver initialises (InitializeInjection): subscribes, enables kinds
//   records    CUPTI fills buffers; the writer thread decodes them (activity_source.hpp)
//   stop       at the end of the process, before the driver is gone
//
// Whatever is missing (no libcupti, another tool, no permission) is a note in the trace; the
// program runs on as it would. cuptiFinalize is never called: a thread of the program that is in a
// CUDA call meanwhile takes the process down (13.0, measured).
#pragma once

#include "collectors/cupti/calls/call_hooks.hpp"
#include "core/model/entities.hpp"

namespace stepscope::cupti {

// CUPTI by itself, to measure what it costs: records thrown away, a subscription alone, or kinds
// that were on for a moment.
enum class Bare : std::uint8_t { no, records, subscription, switched_off };

struct Options {
  HookOptions hooks;
  std::uint32_t flush_ms = 500;  // between two times that CUPTI is asked for its records
  bool flushes = true;           // false: CUPTI gives full buffers, and the rest at the end
  void (*on_device)(const Device& device) noexcept = nullptr;  // one that did work, once each
  Bare bare = Bare::no;
  // Windows in turn of kinds alone, of the light level and of the whole: what each layer costs
  // (hooks.layers too).
  bool layers = false;
};

// CUPTI is not asked for its records any more before the end. Any thread, at once.
void stop_asking_for_records() noexcept;

// False: nothing is collected, and a note says why.
bool start_collector(const Options& options) noexcept;

// The same with a given library: for tests.
bool start_collector(const Library& library, const Options& options) noexcept;

}  // namespace stepscope::cupti
