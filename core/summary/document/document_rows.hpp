// SPDX-License-Identifier: Apache-2.0
// The tables of a report's document. Checked: the cells sum to the wall time. Internal to
// core/summary.
#pragma once

#include "core/summary/document/document_field.hpp"
#include "core/summary/summary.hpp"

namespace stepscope {

PhaseRow read_phase(const Field& phase);
KernelRow read_kernel(const Field& kernel, std::uint64_t steps);
WorkCount read_count(const Field& count);
// Into out.cells; out.partition must have been read.
void read_cells(const Field& document, Summary& out);

}  // namespace stepscope
