// SPDX-License-Identifier: Apache-2.0
// PyTorch's own view of the host: ops (FUNCTION scope), backward nodes and user scopes of every
// thread, in Python and C++ programs alike, through callbacks registered by symbol in
// libtorch_cpu.so.
//
// Backward nodes and user scopes are always recorded, but in gaps of a plan (callback_switch.hpp).
// The FUNCTION scope costs 170-260 ns an op inside PyTorch once any callback exists, so it is on
// only where asked for or where the process has no GPU.
#pragma once

#include <cstdint>

#include "collectors/recorder/recorder.hpp"

namespace stepscope {

struct RecordFunctionOptions {
  bool ops = false;    // the FUNCTION scope, also with a GPU
  bool empty = false;  // callbacks that record nothing: the baseline of our overhead
  // Windows record layers in turn; only those of all layers have ops and backward nodes.
  bool layers = false;
  recorder::SiteRef (*call_site)() noexcept = nullptr;
  std::uintptr_t (*python_frame)() noexcept = nullptr;  // with call_site
};

// Registers once libtorch_cpu.so is mapped; until then, and after that, it does nothing.
// Thread-safe. True where libtorch_cpu.so is mapped (registered, or refused with a note).
bool enable_record_function(const RecordFunctionOptions& options) noexcept;

// A GPU that this process may use: a driver's device file, not hidden by CUDA_VISIBLE_DEVICES.
bool process_has_gpu() noexcept;

}  // namespace stepscope
