// SPDX-License-Identifier: Apache-2.0
// What CUPTI refuses, as a note in the trace with its remedy.
#pragma once

#include "collectors/cupti/library/cupti_library.hpp"

namespace stepscope::cupti {

// `what`: the function that gave `status`.
void note_refusal(const Library& library, const char* what, Status status) noexcept;

}  // namespace stepscope::cupti
