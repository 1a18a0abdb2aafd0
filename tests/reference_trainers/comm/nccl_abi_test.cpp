// SPDX-License-Identifier: Apache-2.0
// Our declarations of NCCL against its header.
#include <gtest/gtest.h>
#include <nccl.h>

#include <type_traits>

#include "reference_trainers/comm/nccl_library.hpp"

namespace stepscope::trainers {
namespace {

static_assert(sizeof(nccl::UniqueId) == sizeof(ncclUniqueId));
static_assert(sizeof(nccl::Answer) == sizeof(ncclResult_t));
static_assert(sizeof(nccl::Type) == sizeof(ncclDataType_t));
static_assert(sizeof(nccl::Operation) == sizeof(ncclRedOp_t));

// Parameter by parameter: the same size, and both pointers or both none. The id is a struct in
// both.
template <class Ours, class Theirs>
constexpr bool kAlike =
    sizeof(Ours) == sizeof(Theirs) && std::is_pointer_v<Ours> ==
                                          std::is_pointer_v<Theirs>&& std::is_class_v<Ours> ==
                                          std::is_class_v<Theirs>;
template <class OurReturn, class... Ours, class TheirReturn, class... Theirs>
constexpr bool are_alike(OurReturn (*)(Ours...), TheirReturn (*)(Theirs...)) {
  if constexpr (sizeof...(Ours) == sizeof...(Theirs))
    return kAlike<OurReturn, TheirReturn> && (kAlike<Ours, Theirs> && ...);
  return false;
}

TEST(NcclAbi, FunctionsTakeWhatTheHeaderSays) {
  const nccl::Library ours{};
  EXPECT_TRUE(are_alike(ours.get_unique_id, decltype(&ncclGetUniqueId){}));
  EXPECT_TRUE(are_alike(ours.comm_init_rank, decltype(&ncclCommInitRank){}));
  EXPECT_TRUE(are_alike(ours.comm_destroy, decltype(&ncclCommDestroy){}));
  EXPECT_TRUE(are_alike(ours.comm_abort, decltype(&ncclCommAbort){}));
  EXPECT_TRUE(are_alike(ours.all_reduce, decltype(&ncclAllReduce){}));
  EXPECT_TRUE(are_alike(ours.all_gather, decltype(&ncclAllGather){}));
  EXPECT_TRUE(are_alike(ours.reduce_scatter, decltype(&ncclReduceScatter){}));
  EXPECT_TRUE(are_alike(ours.broadcast, decltype(&ncclBroadcast){}));
  EXPECT_TRUE(are_alike(ours.get_error_string, decltype(&ncclGetErrorString){}));
  EXPECT_FALSE(are_alike(ours.comm_destroy, decltype(&ncclAllReduce){}));
}

TEST(NcclAbi, ValuesAreTheHeaders) {
  const auto same = [](auto ours, auto theirs) {
    EXPECT_EQ(static_cast<int>(ours), static_cast<int>(theirs));
  };
  same(nccl::kSuccess, ncclSuccess);
  same(nccl::kUint8, ncclUint8);
  same(nccl::kInt32, ncclInt32);
  same(nccl::kInt64, ncclInt64);
  same(nccl::kFloat16, ncclFloat16);
  same(nccl::kFloat32, ncclFloat32);
  same(nccl::kFloat64, ncclFloat64);
  same(nccl::kBfloat16, ncclBfloat16);
  same(nccl::kSum, ncclSum);
  same(nccl::kMax, ncclMax);
  same(nccl::kMin, ncclMin);
}

}  // namespace
}  // namespace stepscope::trainers
