// SPDX-License-Identifier: Apache-2.0
// One set of entries has a list by token and one by column. Numbers of the entries that lie in the
// order of the first are brought into the order of the second, and each column's are added up.
// Sums are taken in one order, in double: the same bits on every run.
#pragma once

#include <cstdint>

#include "kernels/sparse_decoder/sparse_decoder.hpp"

namespace stepscope::kernels {

struct TurnedList {
  std::int64_t columns = 0;
  ActiveFeatures by_token, by_column;  // `values` are read only by token: float32
  float* values = nullptr;             // [by_column.capacity]; those left unused are left alone
  float* sums = nullptr;               // [columns]

  // Optional, [by_column.capacity]: where the columns are groups side by side and each has rows of
  // its own, a group's `tokens` behind the one before, an entry's row.
  std::int32_t* rows = nullptr;
  std::int64_t group_columns = 0, tokens = 0;
};

Status turn_list(const TurnedList& arguments, CUstream_st* stream);

// Checks the arguments; ok where a call would launch.
Status validate(const TurnedList& arguments);

}  // namespace stepscope::kernels
