// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/places/phase_names.hpp"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

TEST(PhaseNames, KnowTheCollectivesOfAnyProcessGroup) {
  for (const char* name : {"nccl:_all_gather_base", "gloo:recv", "ucc:x", "xccl:all_reduce",
                           "sockets:barrier", "my_group:reduce_scatter_tensor"})
    EXPECT_TRUE(is_group_collective(name)) << name;
}

TEST(PhaseNames, TakeNoRangeOfTheUserForACollective) {
  for (const char* name : {"all_reduce", "c10d::allreduce_", "loss:reduce", "epoch: all_reduce",
                           "A:all_reduce", ":all_reduce", "data:all", "std::barrier"})
    EXPECT_FALSE(is_group_collective(name)) << name;
}

TEST(PhaseNames, TheHooksOfShardedModelsAreOnePhaseForAllUnits) {
  for (const char* name :
       {"FSDP::pre_forward (23)", "FSDP::all_gather (layers.0)", "FSDP::backward_prefetch for 22",
        "FullyShardedDataParallel._pre_forward"})
    EXPECT_EQ(torch_mark(name), "comm") << name;
  EXPECT_EQ(torch_mark("FullyShardedDataParallel.forward"), "forward");
  EXPECT_EQ(torch_mark("FSDP of mine"), "");
}

}  // namespace
}  // namespace stepscope
