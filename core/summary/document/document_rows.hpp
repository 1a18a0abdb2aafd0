// SPDX-License-Identifier: Apache-2.0
// The tables of a report's document. Checked: the cells sum to the wall time, and the places of a
// count to its total. Internal to core/summary.
#pragma once

#include "core/summary/document/document_field.hpp"
#include "core/summary/summary.hpp"

namespace stepscope {

PhaseRow read_phase(const Field& phase);
KernelRow read_kernel(const Field& kernel, std::uint64_t steps);
// Names that cells and the places of counts refer to by their position.
std::vector<std::string> read_operations(const Field& document);
WorkCount read_count(const Field& count, const std::vector<std::string>& operations);
SourceText read_source(const Field& source);
// Into out.cells; out.partition must have been read.
void read_cells(const Field& document, const std::vector<std::string>& operations, Summary& out);

}  // namespace stepscope
