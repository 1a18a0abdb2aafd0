// SPDX-License-Identifier: Apache-2.0
// Steps that the user named: --step-marker REGEX, searched in the names of annotations, and where
// none of them matches in those of all other host ranges (ops, Python functions, calls).
#pragma once

#include <regex>
#include <string>

#include "core/steps/finders/loop.hpp"

namespace stepscope {

Result<std::regex> compile_marker(const std::string& pattern);

// Nothing found: a loop without steps.
Loop find_user_marks(const Activity& activity, const std::regex& marker,
                     const std::string& pattern);

// For the message when nothing matches: the names that are there, numbers folded, most frequent
// first.
std::string annotation_names(const Trace& trace);

}  // namespace stepscope
