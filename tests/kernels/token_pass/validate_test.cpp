// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernels/token_pass/token_pass.hpp"

namespace stepscope::kernels {
namespace {

// Pointers that nothing reads: only their alignment is looked at.
void* token_pointer(std::uintptr_t address) {
  return reinterpret_cast<void*>(address);
}

TokenLinear good_linear() {
  return {.rows = 6,
          .inputs = 1024,
          .outputs = 3072,
          .x = token_pointer(0x1000),
          .weights = token_pointer(0x2000),
          .out = token_pointer(0x3000)};
}

TokenAttention good_attention() {
  return {.rows = 6,
          .heads = 16,
          .width = 64,
          .positions = 128,
          .query_key_value = token_pointer(0x1000),
          .keys = token_pointer(0x2000),
          .values = token_pointer(0x3000),
          .place = static_cast<std::int64_t*>(token_pointer(0x4000)),
          .out = token_pointer(0x5000)};
}

template <class Call, class Change>
void expect_bad_token(Call call, const char* name, Change change) {
  change(call);
  EXPECT_STREQ(validate(call).where(), name);
}

TEST(ValidateTokenPass, AcceptsWhatIsGood) {
  EXPECT_EQ(validate(good_linear()).message(), "");
  EXPECT_EQ(validate(good_attention()).message(), "");
}

TEST(ValidateTokenPass, NamesTheBadArgument) {
  const TokenLinear call = good_linear();
  expect_bad_token(call, "rows", [](auto& c) { c.rows = 17; });
  expect_bad_token(call, "inputs", [](auto& c) { c.inputs = 1000; });
  expect_bad_token(call, "inputs", [](auto& c) { c.inputs = 8192; });
  expect_bad_token(call, "inputs", [](auto& c) { c.inputs = 4096, c.norm = token_pointer(0x10); });
  expect_bad_token(call, "outputs", [](auto& c) { c.outputs = 12; });
  expect_bad_token(call, "gelu", [](auto& c) { c.gelu = true, c.residual = token_pointer(0x10); });
  expect_bad_token(call, "norm", [](auto& c) { c.norm = token_pointer(0x8); });
  expect_bad_token(call, "residual", [](auto& c) { c.residual = token_pointer(0x8); });
  expect_bad_token(call, "x", [](auto& c) { c.x = nullptr; });
  expect_bad_token(call, "weights", [](auto& c) { c.weights = token_pointer(0x8); });
  expect_bad_token(call, "out", [](auto& c) { c.out = nullptr; });
  const TokenAttention attention = good_attention();
  expect_bad_token(attention, "rows", [](auto& c) { c.rows = 0; });
  expect_bad_token(attention, "heads", [](auto& c) { c.heads = 0; });
  expect_bad_token(attention, "width", [](auto& c) { c.width = 136; });
  expect_bad_token(attention, "positions", [](auto& c) { c.positions = 4097; });
  expect_bad_token(attention, "place", [](auto& c) { c.place = nullptr; });
  expect_bad_token(attention, "query_key_value", [](auto& c) { c.query_key_value = nullptr; });
  expect_bad_token(attention, "keys", [](auto& c) { c.keys = token_pointer(0x8); });
  expect_bad_token(attention, "values", [](auto& c) { c.values = token_pointer(0x8); });
  expect_bad_token(attention, "out", [](auto& c) { c.out = nullptr; });
}

}  // namespace
}  // namespace stepscope::kernels
