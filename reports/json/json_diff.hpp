// SPDX-License-Identifier: Apache-2.0
// A comparison as one JSON document, schema "stepscope.diff/1" (reports/schema/diff-1.schema.json).
// Every `..._ns_total` is an integer over `steps` steps of each side, and each table sums to
// `delta_ns_total`; `..._per_step` is derived. Where the runs cannot be compared, the tables are
// empty and `why_not` says why.
#pragma once

#include <string>

#include "core/compare/comparison.hpp"

namespace stepscope {

std::string json_diff(const Comparison& comparison);

}  // namespace stepscope
