// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/device/collectives.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/model/trace_maker.hpp"

namespace stepscope {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

MATCHER_P2(IsMessage, peer, sends, "") {
  return arg.peer == peer && arg.sends == sends;
}

// NCCL calls, each of which launches one kernel on stream 7.
class NcclProgram {
 public:
  void call(const char* name, std::uint32_t peer, const char* kernel) {
    const RangeId range = make_.range(HostKind::nvtx_range, name, 1, now_, now_ + 50);
    make_.data.host_ranges.category[range] = make_.data.strings.intern("NCCL");
    Collectives& c = make_.data.collectives;
    c.range.push_back(range), c.communicator.push_back(9), c.bytes.push_back(100);
    c.reduce.push_back(ReduceOperation::none), c.peer.push_back(peer);
    make_.call("cudaLaunchKernel", 1, now_ + 10, now_ + 20, ++launched_);
    make_.kernel(kernel, 7, now_ + 60, now_ + 90, launched_);
    now_ += 100;
  }
  std::vector<CollectiveOp> ops() { return collective_ops_of(make_.build(), 0); }

 private:
  TraceMaker make_;
  std::int64_t now_ = 1'000;
  std::uint32_t launched_ = 0;
};

TEST(CollectiveOps, NameTheOtherEndsOfSendsReceivesAndBroadcasts) {
  NcclProgram program;
  program.call("ncclAllReduce", kNone, "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
  program.call("ncclSend", 1, "ncclDevKernel_SendRecv");
  program.call("ncclRecv", 2, "ncclDevKernel_SendRecv");
  program.call("ncclBroadcast", 0, "ncclDevKernel_Broadcast_RING_LL");
  const std::vector<CollectiveOp> ops = program.ops();
  ASSERT_EQ(ops.size(), 4U);
  EXPECT_THAT(ops[0].messages, IsEmpty());
  EXPECT_EQ(ops[0].communicator, 9U);
  EXPECT_THAT(ops[1].messages, ElementsAre(IsMessage(1U, true)));
  EXPECT_THAT(ops[2].messages, ElementsAre(IsMessage(2U, false)));
  EXPECT_THAT(ops[3].messages, ElementsAre(IsMessage(0U, false)));
}

TEST(CollectiveOps, LeaveOutSendsWhosePeerIsNotKnown) {
  NcclProgram program;
  program.call("ncclSend", kNone, "ncclDevKernel_SendRecv");
  EXPECT_THAT(program.ops(), IsEmpty());
}

}  // namespace
}  // namespace stepscope
