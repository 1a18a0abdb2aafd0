// SPDX-License-Identifier: Apache-2.0
// A partition of a report's document. Checked: the parts sum to the wall time. Internal to
// core/summary.
#pragma once

#include "core/summary/document/document_field.hpp"
#include "core/summary/summary.hpp"

namespace stepscope {

PartitionSummary read_partition(const Field& partition);

}  // namespace stepscope
