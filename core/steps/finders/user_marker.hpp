// SPDX-License-Identifier: Apache-2.0
// Steps that the user named: --step-marker REGEX, searched in the names of annotations, and where
// none of them matches in those of all other host ranges (ops, Python functions, calls).
#pragma once

#include <string>

#include "core/steps/finders/loop.hpp"
#include "core/support/name_pattern.hpp"

namespace stepscope {

// Nothing found: a loop without steps.
Loop find_user_marks(const Activity& activity, const NamePattern& marker,
                     const std::string& pattern);

// Returns the names in the trace, numbers folded, most frequent first, for the message when nothing
// matches.
std::string annotation_names(const Trace& trace);

}  // namespace stepscope
