// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/kernels/l2_flush.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "kernels/common/stream.hpp"
#include "tests/kernels/support/gpu_found.hpp"

namespace stepscope::kernels {
namespace {

constexpr unsigned kLines = 16384;  // 2 MB
// A load of what the L2 holds takes 287 cycles on an H100, else 687. A flush that drives nothing
// out gives a ratio of 1, one that drives half out 1.7.
constexpr double kTimesAsLong = 2;

class L2FlushTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!gpu_found()) GTEST_SKIP() << "no GPU";
    stream_.emplace();
    chain_.emplace(kLines);
    flush_.emplace();
    chain_->write(stream());
  }
  cudaStream_t stream() const { return stream_->get(); }
  double cycles() const { return chain_->cycles_of_line(stream()); }
  void flush() const { flush_->enqueue(stream()); }
  void expect_driven_out(double held) const {
    const double flushed = cycles();
    RecordProperty("cycles_held", std::to_string(held));
    RecordProperty("cycles_flushed", std::to_string(flushed));
    EXPECT_GT(flushed, kTimesAsLong * held);
  }
  const LineChain& chain() const { return *chain_; }

 private:
  std::optional<Stream> stream_;
  std::optional<LineChain> chain_;
  std::optional<L2Flush> flush_;
};

TEST_F(L2FlushTest, DrivesOutWhatWasRead) {
  flush();  // what was written goes to memory, so that the lines are clean
  cycles();
  const double held = cycles();
  flush();
  expect_driven_out(held);
}

TEST_F(L2FlushTest, DrivesOutWhatWasWritten) {
  cycles();
  const double held = cycles();
  chain().write(stream());
  flush();
  expect_driven_out(held);
}

}  // namespace
}  // namespace stepscope::kernels
