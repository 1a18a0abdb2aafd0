// SPDX-License-Identifier: Apache-2.0
// The candidate that a mistyped word was most likely meant to be; empty where none is near.
#pragma once

#include <string_view>
#include <vector>

namespace stepscope {

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace stepscope
