// SPDX-License-Identifier: Apache-2.0
// Values that many tables of a report's document hold. Internal to core/summary.
#pragma once

#include <cstdint>

#include "core/attribution/cause.hpp"
#include "core/summary/document/document_field.hpp"

namespace stepscope {

Cause read_cause(const Field& field);
std::int64_t read_time(const Field& field);  // ns; negative ones are refused

}  // namespace stepscope
