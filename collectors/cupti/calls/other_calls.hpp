// SPDX-License-Identifier: Apache-2.0
// The CUDA calls that are not in the list of api_functions.hpp, for level deep: CUPTI says which
// there are, and they are known by name alone. Queries of some ten nanoseconds that a training step
// makes by the thousand, and that neither wait nor prepare work, are left out.
#pragma once

#include <array>
#include <string_view>

#include "collectors/cupti/library/cupti_library.hpp"

namespace stepscope::cupti {

// A call's name as the list has it: without the suffixes for versions and default streams that
// CUPTI's names carry ("cudaMemcpyAsync_ptsz_v7000"). Empty where there is none of that id.
using CallName = std::array<char, 128>;
CallName call_name(const Library& library, Domain domain, std::uint32_t id) noexcept;

bool is_noise(std::string_view name) noexcept;

}  // namespace stepscope::cupti
