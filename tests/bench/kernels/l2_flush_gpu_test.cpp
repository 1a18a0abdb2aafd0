// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/kernels/l2_flush.hpp"

#include <gtest/gtest.h>

#include "kernels/common/stream.hpp"
#include "tests/kernels/support/gpu_found.hpp"

namespace stepscope::kernels {
namespace {

constexpr unsigned kLines = 16384;  // 2 MB
// Of what the L2 holds, a load takes some 300 cycles on an H100, else 700.
constexpr double kTimesAsLong = 1.7;

class L2FlushTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!gpu_found()) GTEST_SKIP() << "no GPU";
  }
};

// The chain was walked just before, so its lines are held.
double cycles_where_held(const LineChain& chain, cudaStream_t stream) {
  chain.write(stream);
  chain.cycles_of_line(stream);
  return chain.cycles_of_line(stream);
}

TEST_F(L2FlushTest, LeavesNothingThatWasReadBefore) {
  const Stream stream;
  const L2Flush flush;
  const LineChain chain(kLines);
  const double held = cycles_where_held(chain, stream.get());
  flush.enqueue(stream.get());
  EXPECT_GT(chain.cycles_of_line(stream.get()), kTimesAsLong * held);
}

TEST_F(L2FlushTest, LeavesNothingThatWasWrittenBefore) {
  const Stream stream;
  const L2Flush flush;
  const LineChain chain(kLines);
  const double held = cycles_where_held(chain, stream.get());
  chain.write(stream.get());
  flush.enqueue(stream.get());
  EXPECT_GT(chain.cycles_of_line(stream.get()), kTimesAsLong * held);
}

}  // namespace
}  // namespace stepscope::kernels
