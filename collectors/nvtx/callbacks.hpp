// SPDX-License-Identifier: Apache-2.0
// The function tables that the entry points hand to an NVTX client: one list a module, a row a
// slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "collectors/nvtx/nvtx_abi.hpp"

namespace stepscope::nvtx {

struct Callback {
  std::size_t slot;
  Function function;
};

template <typename Signature>
Callback callback(std::size_t slot, Signature* function) noexcept {
  return {slot, reinterpret_cast<Function>(function)};
}

std::span<const Callback> core_callbacks() noexcept;     // default domain: ranges, marks, names
std::span<const Callback> core2_callbacks() noexcept;    // domains
std::span<const Callback> sync_callbacks() noexcept;     // user-defined locks
std::span<const Callback> cuda_callbacks() noexcept;     // names of driver objects
std::span<const Callback> cudart_callbacks() noexcept;   // names of runtime objects
std::span<const Callback> payload_callbacks() noexcept;  // the payload extension

}  // namespace stepscope::nvtx
