// SPDX-License-Identifier: Apache-2.0
// The steps of a report's document: each with its parts, warm-up, sections, long steps. Internal to
// core/summary.
#pragma once

#include "core/summary/document/document_field.hpp"
#include "core/summary/summary.hpp"

namespace stepscope {

// Into out.steps, counted, step_parts and long_steps; out.partition must have been read.
void read_steps(const Field& steps, Summary& out);

}  // namespace stepscope
