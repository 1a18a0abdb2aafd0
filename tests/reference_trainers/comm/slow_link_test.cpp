// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/comm/slow_link.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tests/reference_trainers/comm/in_process_ranks.hpp"

namespace stepscope::trainers {
namespace {

constexpr int kRanks = 3, kSlow = 1, kSteps = 5;
constexpr double kMs = 30;

// Each rank trains with its own link, of which one is slow; body(SlowLink&) is a step.
template <class Body>
void run_on_slow_links(Body body) {
  auto links = connected_links(kRanks, std::chrono::seconds(60));
  std::vector<std::thread> threads;
  for (auto& own : links)
    threads.emplace_back([&body, &own] {
      const int rank = own->rank();
      SlowLink link(std::make_unique<SocketComm>(std::move(own), kRanks), at::kCPU,
                    rank == kSlow ? kMs : 0);
      for (int step = 0; step < kSteps; ++step) {
        link.begin_step();
        body(link);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(SlowLink, SumsTheSameNumbers) {
  run_on_slow_links([](SlowLink& link) {
    const at::Tensor own = at::arange(100'003, at::kFloat) * (link.rank() + 1);
    link.all_reduce(own, Reduction::sum);
    EXPECT_TRUE(own.equal(at::arange(100'003, at::kFloat) * 6));
    const at::Tensor one = at::full({1}, link.rank());
    link.all_reduce(one, Reduction::max);
    EXPECT_EQ(one.item<int>(), kRanks - 1);
  });
}

TEST(SlowLink, CostsItsTimeInEachStepBehindTheFirst) {
  const auto begin = std::chrono::steady_clock::now();
  run_on_slow_links([](SlowLink& link) {
    const at::Tensor one = at::full({1 << 17}, 1.0F), other = at::full({1 << 18}, 1.0F);
    link.begin_all_reduce(one, Reduction::sum);
    link.begin_all_reduce(other, Reduction::sum);
    link.end_begun();
    link.barrier();
  });
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(taken.count(), (kSteps - 1) * kMs);
}

// What is computed beside the call is not held up.
TEST(SlowLink, HoldsUpTheTransferAndNotTheCaller) {
  run_on_slow_links([](SlowLink& link) {
    const at::Tensor all = at::full({1 << 18}, 1.0F);
    const auto begin = std::chrono::steady_clock::now();
    link.begin_all_reduce(all, Reduction::sum);
    const std::chrono::duration<double, std::milli> own = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(own.count(), kMs);
    link.end_begun();
  });
}

}  // namespace
}  // namespace stepscope::trainers
