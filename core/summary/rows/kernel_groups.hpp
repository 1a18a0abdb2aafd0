// SPDX-License-Identifier: Apache-2.0
// Rows of kernels added up: those of one name over all phases, of one class, of one phase. The sums
// of the groups are those of the rows.
#pragma once

#include <cstdint>
#include <vector>

#include "core/summary/summary.hpp"

namespace stepscope {

enum class KernelGrouping : std::uint8_t {
  none,   // a row a name and phase, as Summary::kernels
  name,   // the phase stays where all calls are in it, else it is empty
  cause,  // the name is the class's
  phase,  // the name is the phase's
};

// The largest first. A group's class is that of its largest row.
std::vector<KernelRow> group_kernels(const std::vector<KernelRow>& rows, KernelGrouping by);

}  // namespace stepscope
