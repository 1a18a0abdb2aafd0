// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/summary.hpp"

#include <gtest/gtest.h>

#include "tests/core/attribution/simple_steps.hpp"

namespace stepscope {
namespace {

// A loop that sends: calls of communicator 7, one group over both, and kernels of two steps, the
// first of them not counted.
struct Sending : SimpleSteps {
  void call(const char* name, std::uint64_t communicator, std::uint64_t bytes,
            ReduceOperation reduce) {
    Collectives& c = make.data.collectives;
    c.range.push_back(make.range(HostKind::nvtx_range, name, 1, at, at + 1));
    at += 10;
    c.communicator.push_back(communicator);
    c.bytes.push_back(bytes);
    c.reduce.push_back(reduce);
    c.peer.push_back(kNone);
  }
  void kernel(std::int64_t begin, std::int64_t end, std::uint32_t transfer) {
    make.kernel("ncclDevKernel", 7, begin, end, 0);
    attribution.ops.push_back({Cause::comm_transfer, 0, transfer});
  }
  std::int64_t at = 0;
};

TEST(SummaryTransfers, SumsWhatIsSentByOperationAndCommunicator) {
  Sending s;
  s.step(100, false);
  s.step(100);
  s.step(100);
  s.call("ncclAllReduce", 7, 1000, ReduceOperation::sum);
  s.call("ncclAllReduce", 7, 3000, ReduceOperation::sum);
  s.call("ncclSend", 7, 50, ReduceOperation::none);
  s.call("ncclRecv", 8, kUnknownBytes, ReduceOperation::none);
  s.attribution.transfers = {{{0}}, {{0}}, {{1}}, {{2, 3}}};
  s.kernel(1'010, 1'020, 0);  // in the step that is not counted
  s.kernel(1'110, 1'130, 1);
  s.kernel(1'140, 1'150, 1);  // a call of two kernels sends its bytes once
  s.kernel(1'210, 1'220, 2);
  s.kernel(1'230, 1'235, 3);
  const std::vector<TransferRow> rows = s.sum().transfers;
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].operation, "AllReduce");
  EXPECT_EQ(rows[0].communicator, 7U);
  EXPECT_EQ(rows[0].reduce, "sum");
  EXPECT_EQ(rows[0].calls_total, 2U);
  EXPECT_EQ(rows[0].bytes_total, 4000U);
  EXPECT_EQ(rows[0].ns_total, 40);
  EXPECT_DOUBLE_EQ(rows[0].bytes_per_second(), 100e9);
  EXPECT_EQ(rows[1].operation, "Recv+Send");
  EXPECT_EQ(rows[1].communicator, 0U);
  EXPECT_EQ(rows[1].reduce, "");
  EXPECT_EQ(rows[1].calls_total, 2U);
  EXPECT_EQ(rows[1].bytes_total, 50U);
}

}  // namespace
}  // namespace stepscope
