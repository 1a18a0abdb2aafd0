// SPDX-License-Identifier: Apache-2.0
// The terms in which a program is told what to do: its language, and PyTorch's name for the devices
// that it uses.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/model/trace.hpp"

namespace stepscope::rules {

enum class Language : std::uint8_t { python, cpp };

// Python, where the process has an interpreter, a line of its work is in a Python file, or nothing
// shows; else C++, where our own recording says which program ran, or a line is in a C++ file.
Language language_of(const Trace& trace, ProcessId process);

// PyTorch's name for the devices of a run, by the calls that were made to them: "cuda" (NVIDIA's and
// AMD's), "xpu", "npu", "musa" or "mlu".
std::string_view device_module_of(const Trace& trace);
// Returns a hint with that name in place of "cuda".
std::string for_device(std::string hint, std::string_view module);

}  // namespace stepscope::rules
