// SPDX-License-Identifier: Apache-2.0
// What an NVTX range or mark becomes: recorder events whose category is the domain's name.
#pragma once

#include <cstdint>

#include "collectors/nvtx/domains.hpp"
#include "collectors/nvtx/nvtx_abi.hpp"

namespace stepscope::nvtx {

// An end is always passed on, a begin only while recording: the recorder drops an end without
// begin.
int push_range(const Domain* domain, recorder::RangeName name) noexcept;
int pop_range(const Domain* domain) noexcept;
std::uint64_t start_range(const Domain* domain, recorder::RangeName name) noexcept;
void end_range(std::uint64_t id) noexcept;
void mark(const Domain* domain, recorder::RangeName name) noexcept;

}  // namespace stepscope::nvtx
