// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/data/same_activations.hpp"

#include <ATen/ops/full.h>
#include <gmock/gmock.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/reference_trainers/clt/tiny_config.hpp"
#include "tests/reference_trainers/comm/in_process_ranks.hpp"

namespace stepscope::clt {
namespace {

// Tells of activations that it does not have.
class DescribedStore final : public ActivationStore {
 public:
  Result<Batch> next() override { return bad_input("none"); }
  Result<HeldOut> held_out(std::int64_t) override { return bad_input("none"); }
  void skip(std::int64_t) override {}
  const std::vector<Normalisation>& target_normalisation() const override { return normalisation; }
  std::int64_t rows() const override { return rows_; }
  std::string about() const override { return about_; }

  std::vector<Normalisation> normalisation{{at::full({3}, 0.5), at::full({3}, 2.0)},
                                           {at::full({3}, -0.5), at::full({3}, 4.0)}};
  std::int64_t rows_ = 512;
  std::string about_ = "data: 512 rows in 6 chunks";
};

// Returns the message of each of three ranks where the last rank's store is changed.
std::vector<std::string> messages(const std::function<void(DescribedStore&)>& change) {
  Config config = tiny_config();
  config.data = "folder";
  std::vector<std::string> all(3);
  trainers::run_ranks(3, [&](trainers::Comm& comm) {
    DescribedStore store;
    if (comm.rank() == 2) change(store);
    const Status same = check_same_activations(config, comm, store);
    if (!same) all[static_cast<std::size_t>(comm.rank())] = same.error().message;
  });
  return all;
}

TEST(SameActivations, EqualStoresAndRoundingPass) {
  EXPECT_THAT(messages([](DescribedStore&) {}), testing::Each(""));
  EXPECT_THAT(messages([](DescribedStore& store) { store.normalisation[1].mean.mul_(1 + 1e-6); }),
              testing::Each(""));
}

TEST(SameActivations, WhatDiffersIsToldOnEveryRank) {
  const auto refused = testing::Each(testing::HasSubstr("folder: rank 2 finds other activations"));
  EXPECT_THAT(messages([](DescribedStore& store) { store.rows_ = 513; }), refused);
  EXPECT_THAT(messages([](DescribedStore& store) { store.about_ = "data: 512 rows in 7 chunks"; }),
              refused);
  EXPECT_THAT(messages([](DescribedStore& store) { store.normalisation[1].mean[2] = 0.4; }),
              refused);
  EXPECT_THAT(messages([](DescribedStore& store) { store.normalisation[0].std[0] = 2.1; }),
              refused);
}

}  // namespace
}  // namespace stepscope::clt
