// SPDX-License-Identifier: Apache-2.0
// The long steps of a report's document. Checked: the rows of their excess sum to it. Internal to
// core/summary.
#pragma once

#include "core/summary/document/document_field.hpp"
#include "core/summary/summary.hpp"

namespace stepscope {

LongSteps read_long_steps(const Field& field, const Steps& steps);
// Documents that an earlier version wrote left steps out as outliers: they are trimmed views.
LongSteps read_outliers(const Field& outliers, std::int64_t counted_ns);

}  // namespace stepscope
