// SPDX-License-Identifier: Apache-2.0
// The libtorch_cpu of this process: its version, its symbols, and whether they may be used.
#pragma once

#include <array>
#include <string_view>

#include "collectors/record_function/torch_abi.hpp"

namespace stepscope {

struct TorchLibrary {
  bool mapped = false;
  bool usable = false;
  std::array<char, 64> version{};  // "2.11.0+cu130"; empty where no file beside the library says it
  const char* why_not = "";        // one sentence, where mapped and not usable
  torch_abi::AddGlobalCallback add_global_callback = nullptr;
  torch_abi::SwitchCallback disable_callback = nullptr;  // the two may be missing
  torch_abi::SwitchCallback reenable_callback = nullptr;
  torch_abi::Name name = nullptr;
  torch_abi::IsAsync is_async = nullptr;
  // Any of these may be missing: then backward nodes are not tied to their forward.
  torch_abi::ThreadNumber peek_sequence = nullptr;
  torch_abi::ThreadNumber current_thread_id = nullptr;
  torch_abi::Construct construct = nullptr;
  torch_abi::Before before = nullptr;
  torch_abi::Destroy destroy = nullptr;
};

// Versions whose layout was tested: major.minor.
bool is_tested_torch(std::string_view version) noexcept;

// "2.11.0+cu130" out of a version.py or a build-version file.
std::string_view version_in(std::string_view text) noexcept;

TorchLibrary find_torch_library() noexcept;

}  // namespace stepscope
