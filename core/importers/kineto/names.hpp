// SPDX-License-Identifier: Apache-2.0
// Facts that Kineto writes only inside names: Python lines, copy directions, kinds of waits, thread names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/events.hpp"

namespace stepscope::kineto {

// "torch/nn/modules/linear.py(124): forward". Empty for "<built-in ...>" and "nn.Module: Linear_0".
struct PythonName {
  std::string_view file;
  std::uint32_t line = 0;
  std::string_view function;
};
std::optional<PythonName> parse_python_name(std::string_view name);

// "Memcpy HtoD (Pageable -> Device)", "Memset (Device)" (target only); "CopyHostToDevice" (AMD),
// "Memcpy M2D (MEMORY -> DEVICE)" (Intel), and the like.
struct CopyName {
  CopyKind kind = CopyKind::none;
  MemoryKind source = MemoryKind::unknown;
  MemoryKind target = MemoryKind::unknown;
};
CopyName parse_copy_name(std::string_view name);

// Who made the device that a process of the trace stands for, by its name ("Ascend Hardware") or
// label ("NPU 0"); empty: it stands for none.
// Whether a process is what a profiler made of the device's work, and none of its own: Ascend's
// overlap of computing and communication, and the parts of its collectives.
bool is_view_of_device(std::string_view process_name);

std::string device_vendor(std::string_view name, std::string_view label);

// "Stream Wait Event", "Event Sync", "Stream Sync", "Context Sync"; other for anything else.
ApiKind parse_sync_kind(std::string_view name);

// "thread 619 (python3)" -> "python3"; others unchanged, without trailing space.
std::string_view parse_thread_name(std::string_view name);

}  // namespace stepscope::kineto
