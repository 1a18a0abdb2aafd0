// SPDX-License-Identifier: Apache-2.0
// The name by which an operation is known from step to step and from run to run.
//
// A user's range often carries a number ("step 12", "ProfilerStep#7"), so digits of annotations
// become
// '#'. Names of kernels and of framework operations are kept as they are: their digits distinguish them
// apart.
#pragma once

#include <string>
#include <string_view>

namespace stepscope {

std::string operation_name(std::string_view name, bool is_annotation);

}  // namespace stepscope
