// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernels/shard_topk/shard_cut.hpp"
#include "kernels/shard_topk/shard_sweep.hpp"
#include "kernels/shard_topk/shard_topk.hpp"

namespace stepscope::kernels {
namespace {

// Pointers that nothing reads: only their alignment is looked at.
template <class T>
T* pointer(std::uintptr_t address) {
  return reinterpret_cast<T*>(address);
}

ShardTopkArguments good() {
  ShardTopkArguments arguments;
  arguments.matrix.keys = pointer<void>(0x1000);
  arguments.matrix.rows = 4;
  arguments.matrix.columns = 12;
  arguments.groups = 3;
  arguments.state = pointer<ShardTopkState>(0x2000);
  arguments.counts = pointer<std::int64_t>(0x3000);
  arguments.shares = pointer<std::int64_t>(0x4000);
  arguments.own_count = pointer<std::int64_t>(0x5000);
  return arguments;
}

TEST(ValidateShardTopk, NamesTheBadArgument) {
  EXPECT_TRUE(validate(good()).ok());
  const auto where = [](auto change) {
    ShardTopkArguments arguments = good();
    change(arguments);
    return std::string(validate(arguments).where());
  };
  EXPECT_EQ(where([](auto& a) { a.matrix.rows = -1; }), "rows");
  EXPECT_EQ(where([](auto& a) { a.matrix.columns = std::int64_t{1} << 31; }), "columns");
  EXPECT_EQ(where([](auto& a) { a.matrix.keys = nullptr; }), "keys");
  EXPECT_EQ(where([](auto& a) { a.matrix.keys = pointer<void>(0x1001); }), "keys");
  EXPECT_EQ(where([](auto& a) { a.matrix.column_keys.source = KeySource::z_score; }),
            "column_keys.source");
  EXPECT_EQ(where([](auto& a) { a.matrix.column_keys.source = KeySource::affine; }),
            "column_keys.mean");
  EXPECT_EQ(where([](auto& a) { a.groups = 5; }), "groups");
  EXPECT_EQ(where([](auto& a) { a.groups = 0; }), "groups");
  EXPECT_EQ(where([](auto& a) { a.state = nullptr; }), "state");
  EXPECT_EQ(where([](auto& a) { a.counts = pointer<std::int64_t>(0x3004); }), "counts");
  EXPECT_EQ(where([](auto& a) { a.shares = nullptr; }), "shares");
  EXPECT_EQ(where([](auto& a) { a.own_count = nullptr; }), "own_count");
}

TEST(ValidateShardCut, NamesTheBadArgument) {
  ShardCutArguments good_cut;
  good_cut.matrix = good().matrix;
  good_cut.matrix.mask = pointer<std::uint32_t>(0x2000);
  good_cut.groups = 3;
  good_cut.state = pointer<ShardCutState>(0x3000);
  good_cut.counts = pointer<std::int64_t>(0x4000);
  good_cut.finalists = pointer<std::int64_t>(0x5000);
  good_cut.outcome = pointer<ShardCutOutcome>(0x6000);
  EXPECT_TRUE(validate(good_cut).ok());
  const auto where = [&](auto change) {
    ShardCutArguments arguments = good_cut;
    change(arguments);
    return std::string(validate(arguments).where());
  };
  EXPECT_EQ(where([](auto& a) { a.matrix.keys = nullptr; }), "keys");
  EXPECT_EQ(where([](auto& a) { a.matrix.mask = nullptr; }), "mask");
  EXPECT_EQ(where([](auto& a) { a.groups = 5; }), "groups");
  EXPECT_EQ(where([](auto& a) { a.state = nullptr; }), "state");
  EXPECT_EQ(where([](auto& a) { a.counts = pointer<std::int64_t>(0x4004); }), "counts");
  EXPECT_EQ(where([](auto& a) { a.finalists = nullptr; }), "finalists");
  EXPECT_EQ(where([](auto& a) { a.outcome = nullptr; }), "outcome");
}

TEST(ValidateShardSweep, NamesTheBadArgument) {
  ShardSweepArguments good_sweep;
  good_sweep.matrix = good().matrix;
  good_sweep.matrix.key_type = KeyType::float32;
  good_sweep.matrix.mask = pointer<std::uint32_t>(0x2000);
  good_sweep.groups = 3;
  good_sweep.state = pointer<ShardSweepState>(0x3000);
  good_sweep.published = pointer<std::int64_t>(0x4000);
  good_sweep.outcome = pointer<ShardCutOutcome>(0x6000);
  EXPECT_TRUE(validate(good_sweep).ok());
  const auto where = [&](auto change) {
    ShardSweepArguments arguments = good_sweep;
    change(arguments);
    return std::string(validate(arguments).where());
  };
  EXPECT_EQ(where([](auto& a) { a.matrix.keys = nullptr; }), "keys");
  EXPECT_EQ(where([](auto& a) { a.matrix.key_type = KeyType::bfloat16; }), "key_type");
  EXPECT_EQ(where([](auto& a) { a.matrix.mask = nullptr; }), "mask");
  EXPECT_EQ(where([](auto& a) { a.groups = 5; }), "groups");
  EXPECT_EQ(where([](auto& a) { a.state = nullptr; }), "state");
  EXPECT_EQ(where([](auto& a) { a.published = pointer<std::int64_t>(0x4004); }), "published");
  EXPECT_EQ(where([](auto& a) { a.outcome = nullptr; }), "outcome");
  float number = 0;
  for (const KeySource source : {KeySource::affine, KeySource::z_score}) {
    EXPECT_EQ(where([&](auto& a) { a.matrix.column_keys.source = source; }), "column_keys.mean");
    EXPECT_EQ(where([&](auto& a) {
                a.matrix.key_type = KeyType::bfloat16;
                a.matrix.column_keys = {source, 1e-6F, &number, &number};
              }),
              "");
  }
}

}  // namespace
}  // namespace stepscope::kernels
