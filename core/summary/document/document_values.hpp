// SPDX-License-Identifier: Apache-2.0
// Values that many tables of a report's document hold. Internal to core/summary.
#pragma once

#include <cstdint>

#include "core/attribution/cause.hpp"
#include "core/summary/document/document_field.hpp"

namespace stepscope {

Cause read_cause(const Field& field);

// Times in ns. What no run can have is refused, so that sums of two never overflow.
std::int64_t read_time(const Field& field);        // a length: not negative
std::int64_t read_difference(const Field& field);  // a difference of two lengths
std::int64_t read_moment(const Field& field);      // since the epoch

// Adds a row's time to the sum over all rows of `table`, of which there may be many.
void add_time(std::int64_t ns, const Field& table, std::int64_t& sum);

}  // namespace stepscope
