// SPDX-License-Identifier: Apache-2.0
#include "core/summary/summary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "tests/core/summary/simple_steps.hpp"

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

// Makes two steps, the first of them not counted.
Sending sending_with(LastEntries entries) {
  Sending s;
  s.step(100, false);
  s.step(100);
  s.own(Cause::comm_transfer, 50);
  s.own(Cause::host_python, 50);
  s.call("ncclAllReduce", 7, 1000, ReduceOperation::sum);
  s.attribution.transfers = {{{0}}};
  s.kernel(1'010, 1'020, 0);
  s.kernel(1'110, 1'130, 0);
  s.kernel(1'140, 1'150, 0);
  s.kernel(1'160, 1'180, 0);
  s.attribution.last_entries = std::move(entries);
  s.make.data.processes.at(0).world_size = 4;
  return s;
}

// The second kernel waited for rank 2, the third for 1 and longer than it took itself; the fourth
// was the last to enter.
TEST(SummaryTransfers, TellsHowLongWhichRankWasWaitedFor) {
  const TransferRow row =
      sending_with({{0, {1'020, 3}}, {1, {1'114, 2}}, {2, {1'190, 1}}, {3, {1'160, 0}}})
          .sum()
          .transfers.at(0);
  EXPECT_EQ(row.ns_total, 50);
  EXPECT_EQ(row.late_ns_total, 4 + 10);
  EXPECT_EQ(row.latest_rank, 1);
  EXPECT_EQ(row.latest_rank_ns_total, 10);
  EXPECT_EQ(sending_with({}).sum().transfers.at(0).latest_rank, -1);
}

// Where it is known separately, nothing is held back.
TEST(SummaryTransfers, LateRanksAreHeldBackWhereTheyAreNotKnown) {
  const auto held_back = [](const Summary& sum) {
    return std::any_of(sum.trust.abstained.begin(), sum.trust.abstained.end(),
                       [](const Abstention& a) { return a.id == "comm.late_rank"; });
  };
  EXPECT_TRUE(held_back(sending_with({}).sum()));
  EXPECT_FALSE(held_back(sending_with({{0, {1'012, 1}}}).sum()));
}

}  // namespace
}  // namespace stepscope
