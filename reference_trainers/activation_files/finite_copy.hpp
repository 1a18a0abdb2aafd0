// SPDX-License-Identifier: Apache-2.0
// Copies numbers as they are stored, and says whether all of them are finite: one pass over memory
// for both.
#pragma once

#include <c10/core/ScalarType.h>

#include <cstdint>

namespace stepscope::trainers {

// `type` is one of kElementKinds.
bool copy_finite(at::ScalarType type, const void* from, std::int64_t count, void* to);

}  // namespace stepscope::trainers
