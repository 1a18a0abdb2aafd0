// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/comm/socket_comm.hpp"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <thread>

#include "reference_trainers/comm/buckets.hpp"
#include "tests/reference_trainers/comm/in_process_ranks.hpp"

namespace stepscope::trainers {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

TEST(SocketComm, ReducesOfEachType) {
  for (const auto type : {at::kFloat, at::kDouble, at::kLong, at::kInt, at::kByte})
    for (const int size : {1, 2, 3, 8})
      run_ranks(size, [&](Comm& comm) {
        const at::Tensor own = at::full({5}, comm.rank() + 1, type);
        const auto reduced = [&](Reduction reduction) {
          const at::Tensor all = own.clone();
          comm.all_reduce(all, reduction);
          return all.select(0, 4).item<double>();
        };
        EXPECT_EQ(reduced(Reduction::sum), size * (size + 1) / 2);
        EXPECT_EQ(reduced(Reduction::min), 1);
        EXPECT_EQ(reduced(Reduction::max), size);
      });
}

// More than sockets hold, and sums whose bits depend on their order.
TEST(SocketComm, LargeSumsAreTheSameBitsOnEveryRank) {
  std::vector<at::Tensor> sums(3);
  run_ranks(3, [&](Comm& comm) {
    const at::Tensor own = at::arange(700'000, at::kFloat) * (comm.rank() + 0.1);
    comm.all_reduce(own, Reduction::sum);
    sums[static_cast<std::size_t>(comm.rank())] = own;
  });
  EXPECT_TRUE(at::equal(sums[0], sums[1]));
  EXPECT_TRUE(at::equal(sums[0], sums[2]));
  EXPECT_NEAR(sums[0].select(0, 1000).item<double>(), 3300, 1e-3);
}

TEST(SocketComm, GathersInTheRanksOrder) {
  run_ranks(4, [](Comm& comm) {
    const at::Tensor all = comm.all_gather(at::full({2, 3}, comm.rank(), at::kLong));
    EXPECT_EQ(all.sizes(), (at::IntArrayRef{4, 2, 3}));
    for (int rank = 0; rank < 4; ++rank)
      EXPECT_TRUE(all.select(0, rank).eq(rank).all().item<bool>());
  });
}

TEST(SocketComm, ScattersSums) {
  run_ranks(3, [](Comm& comm) {
    const at::Tensor all = at::arange(12, at::kFloat).view({3, 4}) * (comm.rank() + 1);
    const at::Tensor own = at::zeros({4});
    comm.reduce_scatter(own, all);
    EXPECT_TRUE(at::equal(own, at::arange(12, at::kFloat).view({3, 4}).select(0, comm.rank()) * 6));
    EXPECT_THROW(comm.reduce_scatter(at::zeros({3}), all), std::invalid_argument);
  });
}

// Begun calls return before the others have come, are made in their order, and are done behind
// end_begun() or behind any other call.
TEST(SocketComm, WhatIsBegunIsDoneBesideTheCaller) {
  std::atomic<bool> both_begun{false};
  run_ranks(2, [&](Comm& comm) {
    const at::Tensor a = at::full({100'000}, comm.rank() + 1, at::kFloat), b = a.clone();
    const at::Tensor own = at::zeros({50'000});
    while (comm.rank() == 1 && !both_begun) std::this_thread::yield();
    comm.begin_all_reduce(a, Reduction::sum);
    comm.begin_reduce_scatter(own, b.view({2, 50'000}));
    both_begun = true;  // rank 0 came here alone
    const at::Tensor gathered = comm.all_gather(at::ones({1}));
    EXPECT_TRUE(a.eq(3).all().item<bool>());
    EXPECT_TRUE(own.eq(3).all().item<bool>());
    EXPECT_EQ(gathered.numel(), 2);
    comm.begin_all_reduce(a, Reduction::sum);
    comm.end_begun();
    EXPECT_TRUE(a.eq(6).all().item<bool>());
  });
}

TEST(SocketComm, AFailureOfWhatWasBegunIsThrownAtItsEnd) {
  const auto failures = failures_of_ranks(2, milliseconds(60'000), [](Comm& comm) {
    if (comm.rank() == 1) return;
    comm.begin_all_reduce(at::zeros({4}), Reduction::sum);
    comm.begin_all_reduce(at::zeros({4}), Reduction::sum);
    comm.end_begun();
  });
  EXPECT_EQ(failures[0], "rank 1 ended before the run was done");
}

TEST(SocketComm, BroadcastsFromAnyRank) {
  for (int root = 0; root < 3; ++root)
    run_ranks(3, [&](Comm& comm) {
      const at::Tensor tensor = at::full({4}, comm.rank(), at::kFloat);
      comm.broadcast(tensor, root);
      EXPECT_TRUE(tensor.eq(root).all().item<bool>());
      comm.barrier();
    });
}

TEST(SocketComm, SumsInBuckets) {
  run_ranks(2, [](Comm& comm) {
    std::vector<at::Tensor> tensors;
    for (const std::int64_t size : {3, 50, 1, 7, 7})
      tensors.push_back(at::full({size}, static_cast<double>(size * (comm.rank() + 1))));
    sum_in_buckets(comm, tensors, /*bucket_bytes=*/40);
    for (const at::Tensor& tensor : tensors)
      EXPECT_TRUE(tensor.eq(3 * tensor.numel()).all().item<bool>()) << tensor.numel();
  });
}

// Returns the message of each of four ranks, where `broken` ends in its third call.
std::vector<std::string> failures_where(int broken, const std::function<void(Comm&)>& how,
                                        milliseconds patience = milliseconds(60'000)) {
  return failures_of_ranks(4, patience, [&](Comm& comm) {
    const at::Tensor tensor = at::zeros({300'000});
    for (int call = 0; call < 5; ++call) {
      if (call == 2 && comm.rank() == broken) return how(comm);
      comm.all_reduce(tensor, Reduction::sum);
    }
  });
}

TEST(SocketComm, ARankThatEndsIsNamedByAllOthersAtOnce) {
  for (const int broken : {1, 2, 3}) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::string> failures = failures_where(broken, [](Comm&) {});
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
    failures.erase(failures.begin() + broken);
    EXPECT_THAT(failures,
                Each("rank " + std::to_string(broken) + " ended before the run was done"));
  }
  std::vector<std::string> failures = failures_where(0, [](Comm&) {});
  failures.erase(failures.begin());
  EXPECT_THAT(failures, Each(HasSubstr("rank 0 ended")));
}

TEST(SocketComm, ARanksOwnReasonReachesAllOthers) {
  for (int broken = 0; broken < 4; ++broken) {
    std::vector<std::string> failures =
        failures_where(broken, [](Comm& comm) { comm.abort("no memory"); });
    failures.erase(failures.begin() + broken);
    EXPECT_THAT(failures, Each("no memory"));
  }
}

TEST(SocketComm, ARankThatDoesNotComeIsNamedAfterTheTimeout) {
  std::vector<std::string> failures = failures_where(
      2, [](Comm&) { std::this_thread::sleep_for(milliseconds(3000)); }, milliseconds(2000));
  failures.erase(failures.begin() + 2);
  EXPECT_THAT(failures, Each("rank 2 did not come within 2 s"));
}

TEST(SocketComm, DifferentCallsAreAnErrorThatNamesBoth) {
  const auto failures = failures_of_ranks(2, milliseconds(60'000), [](Comm& comm) {
    if (comm.rank() == 0)
      comm.all_reduce(at::zeros({4}), Reduction::sum);
    else
      comm.barrier();
  });
  EXPECT_THAT(failures, Each(AllOf(HasSubstr("rank 1 made call 1, barrier of 0 bytes"),
                                   HasSubstr("rank 0 made call 1, all_reduce of 16"))));
}

}  // namespace
}  // namespace stepscope::trainers
