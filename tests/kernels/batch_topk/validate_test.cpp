// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/batch_topk/batch_topk.hpp"

namespace stepscope::kernels {
namespace {

// Pointers that nothing reads: only their alignment is looked at.
template <class T>
T* pointer(std::uintptr_t address) {
  return reinterpret_cast<T*>(address);
}

BatchTopkArguments good() {
  BatchTopkArguments arguments;
  arguments.keys = pointer<void>(0x1002);
  arguments.rows = 10;
  arguments.columns = 100;
  arguments.count = 5;
  arguments.mask = pointer<std::uint32_t>(0x2000);
  arguments.result = pointer<BatchTopkResult>(0x3000);
  arguments.workspace = pointer<void>(0x4000);
  arguments.workspace_bytes = batch_topk_workspace_bytes(arguments);
  return arguments;
}

void expect_bad(const BatchTopkArguments& arguments, const char* name) {
  const Status status = validate(arguments);
  EXPECT_FALSE(status.ok()) << name;
  EXPECT_STREQ(status.where(), name) << status.message();
}

TEST(ValidateBatchTopk, AcceptsWhatIsGood) {
  EXPECT_EQ(validate(good()).message(), "");
}

TEST(ValidateBatchTopk, NamesTheBadArgument) {
  const auto with = [](auto change) {
    BatchTopkArguments arguments = good();
    change(arguments);
    return arguments;
  };
  expect_bad(with([](auto& a) { a.rows = -1; }), "rows");
  expect_bad(with([](auto& a) { a.columns = std::int64_t{1} << 31; }), "columns");
  expect_bad(with([](auto& a) { a.rows = a.columns = std::int64_t{1} << 17; }), "rows");
  expect_bad(with([](auto& a) { a.keys = nullptr; }), "keys");
  expect_bad(with([](auto& a) { a.keys = pointer<void>(0x1001); }), "keys");
  expect_bad(with([](auto& a) { a.mask = pointer<std::uint32_t>(0x2002); }), "mask");
  expect_bad(with([](auto& a) { a.result = nullptr; }), "result");
  expect_bad(with([](auto& a) { a.device_count = pointer<std::int64_t>(0x3004); }), "device_count");
  expect_bad(with([](auto& a) { a.warm_start = pointer<BatchTopkWarmStart>(0x3002); }),
             "warm_start");
  expect_bad(with([](auto& a) { a.workspace = pointer<void>(0x4010); }), "workspace");
  expect_bad(with([](auto& a) { --a.workspace_bytes; }), "workspace_bytes");
  expect_bad(with([](auto& a) { a.column_keys.source = KeySource::affine; }), "column_keys.mean");
  expect_bad(
      with([](auto& a) {
        a.column_keys = {KeySource::z_score, NAN, pointer<float>(0x100), pointer<float>(0x200)};
      }),
      "column_keys.epsilon");
}

TEST(ValidateBatchTopk, AnEmptyMatrixNeedsNoKeys) {
  BatchTopkArguments arguments = good();
  arguments.rows = 0;
  arguments.keys = nullptr;
  arguments.mask = nullptr;
  EXPECT_TRUE(validate(arguments).ok());
}

}  // namespace
}  // namespace stepscope::kernels
