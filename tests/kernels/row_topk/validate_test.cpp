// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/row_topk/row_topk.hpp"

namespace stepscope::kernels {
namespace {

// Pointers that nothing reads: only their alignment is looked at.
template <class T>
T* pointer(std::uintptr_t address) {
  return reinterpret_cast<T*>(address);
}

RowTopkArguments good() {
  RowTopkArguments arguments;
  arguments.keys = pointer<void>(0x1002);
  arguments.rows = 10;
  arguments.columns = 100;
  arguments.count = 5;
  arguments.columns_out = pointer<std::int32_t>(0x2000);
  return arguments;
}

void expect_bad(const RowTopkArguments& arguments, const char* name) {
  const Status status = validate(arguments);
  EXPECT_FALSE(status.ok()) << name;
  EXPECT_STREQ(status.where(), name) << status.message();
}

TEST(ValidateRowTopk, AcceptsWhatIsGood) {
  EXPECT_EQ(validate(good()).message(), "");
  RowTopkArguments most = good();
  most.count = kRowTopkMostCount;
  EXPECT_EQ(validate(most).message(), "");
}

TEST(ValidateRowTopk, NamesTheBadArgument) {
  const auto with = [](auto change) {
    RowTopkArguments arguments = good();
    change(arguments);
    return arguments;
  };
  expect_bad(with([](auto& a) { a.rows = -1; }), "rows");
  expect_bad(with([](auto& a) { a.columns = std::int64_t{1} << 31; }), "columns");
  expect_bad(with([](auto& a) { a.count = kRowTopkMostCount + 1; }), "count");
  expect_bad(with([](auto& a) { a.keys = nullptr; }), "keys");
  expect_bad(with([](auto& a) { a.keys = pointer<void>(0x1001); }), "keys");
  expect_bad(with([](auto& a) { a.considered = pointer<std::uint32_t>(0x1002); }), "considered");
  expect_bad(with([](auto& a) { a.columns_out = nullptr; }), "columns_out");
  expect_bad(with([](auto& a) { a.columns_out = pointer<std::int32_t>(0x2002); }), "columns_out");
  expect_bad(with([](auto& a) { a.values = pointer<void>(0x2001); }), "values");
  expect_bad(with([](auto& a) { a.selected = pointer<std::int32_t>(0x2002); }), "selected");
  expect_bad(with([](auto& a) { a.fired.bits = pointer<std::uint32_t>(0x2002); }), "fired.bits");
  expect_bad(with([](auto& a) { a.fired.counts = pointer<std::uint32_t>(0x2002); }),
             "fired.counts");
  expect_bad(with([](auto& a) { a.fired.above = NAN; }), "fired.above");
}

TEST(ValidateRowTopk, WhatIsNotThereNeedsNoPointer) {
  RowTopkArguments arguments = good();
  arguments.columns = 0;
  arguments.keys = nullptr;
  EXPECT_EQ(validate(arguments).message(), "");
  arguments.count = 0;
  arguments.columns_out = nullptr;
  EXPECT_EQ(validate(arguments).message(), "");
  arguments.rows = 0;
  arguments.columns = 9;
  arguments.count = 9;
  EXPECT_EQ(validate(arguments).message(), "");
}

}  // namespace
}  // namespace stepscope::kernels
