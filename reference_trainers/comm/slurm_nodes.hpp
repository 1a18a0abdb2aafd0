// SPDX-License-Identifier: Apache-2.0
// Slurm's short form of host names: "gpu[01-04,07],head" stands for gpu01, gpu02, ..., head.
#pragma once

#include <string>
#include <string_view>

namespace stepscope::trainers {

// The first host; empty where the list is.
std::string first_slurm_host(std::string_view nodes);

}  // namespace stepscope::trainers
