// SPDX-License-Identifier: Apache-2.0
// Names for people: what a cause means in a few words, and a kernel's name without the namespaces
// and parameter lists of its C++ signature.
#pragma once

#include <string>
#include <string_view>

#include "core/attribution/cause.hpp"
#include "core/attribution/direction.hpp"

namespace stepscope {

// " backward", to stand behind a line; empty where the line has no direction.
std::string direction_text(Direction direction);
std::string short_kernel_name(std::string_view name);

// "…" in place of what is longer than `most` code points.
std::string shortened(std::string_view name, std::size_t most);

}  // namespace stepscope
