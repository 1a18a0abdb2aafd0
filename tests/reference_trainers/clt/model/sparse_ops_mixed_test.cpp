// SPDX-License-Identifier: Apache-2.0
// Which implementation each part of the step goes to, for every set of parts.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reference_trainers/clt/model/sparse_ops.hpp"

namespace stepscope::clt {
namespace {

// Notes its calls.
class Noting final : public SparseOps {
 public:
  Noting(std::string name, std::vector<std::string>& calls)
      : name_(std::move(name)), calls_(calls) {}

  ActiveFeatures begin_select(const at::Tensor&, std::int64_t, const Meanwhile&) override {
    return note("begin_select"), ActiveFeatures();
  }
  bool end_select(ActiveFeatures&, const at::Tensor&) override { return note("end_select"), true; }
  bool add_to_listed(const at::Tensor&) override { return note("add_to_listed"), true; }
  void count_silent_steps(const ActiveFeatures&, double, const at::Tensor&) override {
    note("count_silent_steps");
  }
  SquaredLoss squared_loss(const at::Tensor&, const at::Tensor&, const at::Tensor&,
                           double) override {
    return note("squared_loss"), SquaredLoss();
  }
  at::Tensor decode(const AdamState&, const AdamState&, const ActiveFeatures&) override {
    return note("decode"), at::Tensor();
  }
  at::Tensor activation_gradient(const AdamState&, const ActiveFeatures&,
                                 const at::Tensor&) override {
    return note("activation_gradient"), at::Tensor();
  }
  at::Tensor weight_gradient(const ActiveFeatures&, const at::Tensor&) override {
    return note("weight_gradient"), at::Tensor();
  }
  void update_decoder(AdamState&, const ActiveFeatures&, const at::Tensor&, double,
                      std::int64_t) override {
    note("update_decoder");
  }
  void update_silent(AdamState&, const ActiveFeatures&, double, std::int64_t) override {
    note("update_silent");
  }
  void update_others(AdamState&, const ActiveFeatures&, const at::Tensor&, double,
                     std::int64_t) override {
    note("update_others");
  }
  void update(AdamState&, const at::Tensor&, double, std::int64_t) override { note("update"); }
  void update_encoder(AdamState&, const FeatureList&, const std::vector<at::Tensor>&, double,
                      std::int64_t) override {
    note("update_encoder");
  }

 private:
  void note(const char* call) { calls_.push_back(name_ + "." + call); }

  std::string name_;
  std::vector<std::string>& calls_;
};

std::vector<std::string> calls_of_a_step(const Fixes& fixes) {
  std::vector<std::string> calls;
  const auto ops = make_mixed_ops(std::make_unique<Noting>("dense", calls),
                                  std::make_unique<Noting>("kernels", calls), fixes);
  AdamState state;
  ActiveFeatures active = ops->begin_select({}, 1, [] {});
  (void)ops->decode(state, state, active);
  EXPECT_TRUE(ops->end_select(active, {}));
  (void)ops->activation_gradient(state, active, {});
  ops->update_decoder(state, active, {}, 1e-3, 1);
  ops->update(state, {}, 1e-3, 1);
  return calls;
}

using Calls = std::vector<std::string>;

TEST(MixedOps, WithoutPartsAllIsDenseAndTheGradientIsMade) {
  EXPECT_EQ(calls_of_a_step({}), (Calls{"dense.begin_select", "dense.decode", "dense.end_select",
                                        "dense.activation_gradient", "dense.weight_gradient",
                                        "dense.update", "dense.update"}));
}

TEST(MixedOps, EachPartAlone) {
  EXPECT_EQ(calls_of_a_step({.select_kernel = true}),
            (Calls{"kernels.begin_select", "kernels.end_select", "dense.decode",
                   "dense.activation_gradient", "dense.weight_gradient", "dense.update",
                   "dense.update"}));
  EXPECT_EQ(calls_of_a_step({.sparse_decoder = true}),
            (Calls{"dense.begin_select", "dense.end_select", "kernels.decode",
                   "kernels.activation_gradient", "kernels.weight_gradient", "dense.update",
                   "dense.update"}));
  EXPECT_EQ(calls_of_a_step({.sparse_adam = true}),
            (Calls{"dense.begin_select", "dense.decode", "dense.end_select",
                   "dense.activation_gradient", "kernels.update_decoder", "kernels.update"}));
}

TEST(MixedOps, TheEncoderHasAPartOfItsOwn) {
  const auto call = [](const Fixes& fixes) {
    std::vector<std::string> calls;
    const auto ops = make_mixed_ops(std::make_unique<Noting>("dense", calls),
                                    std::make_unique<Noting>("kernels", calls), fixes);
    AdamState state;
    ops->update_encoder(state, {}, {}, 1e-3, 1);
    return calls;
  };
  EXPECT_EQ(call({.sparse_adam = true}), Calls{"dense.update_encoder"});
  EXPECT_EQ(call({.sparse_encoder = true}), Calls{"kernels.update_encoder"});
}

TEST(MixedOps, WhatIsListedIsWithItsSelectionAndTheLossWithTheDecoder) {
  std::vector<std::string> calls;
  const auto ops =
      make_mixed_ops(std::make_unique<Noting>("dense", calls),
                     std::make_unique<Noting>("kernels", calls), {.select_kernel = true});
  EXPECT_TRUE(ops->add_to_listed({}));
  ops->count_silent_steps({}, 0, {});
  (void)ops->squared_loss({}, {}, {}, 1);
  EXPECT_EQ(calls,
            (Calls{"kernels.add_to_listed", "kernels.count_silent_steps", "dense.squared_loss"}));
}

TEST(MixedOps, AnUpdateInTwoCallsIsOneWhereTheGradientIsMade) {
  const auto call = [](const Fixes& fixes) {
    std::vector<std::string> calls;
    const auto ops = make_mixed_ops(std::make_unique<Noting>("dense", calls),
                                    std::make_unique<Noting>("kernels", calls), fixes);
    AdamState state;
    ops->update_silent(state, {}, 1e-3, 1);
    ops->update_others(state, {}, {}, 1e-3, 1);
    return calls;
  };
  EXPECT_EQ(call({}), (Calls{"dense.weight_gradient", "dense.update"}));
  EXPECT_EQ(call({.sparse_adam = true}), (Calls{"kernels.update_silent", "kernels.update_others"}));
}

TEST(MixedOps, AllParts) {
  EXPECT_EQ(calls_of_a_step({.select_kernel = true, .sparse_decoder = true, .sparse_adam = true}),
            (Calls{"kernels.begin_select", "kernels.decode", "kernels.end_select",
                   "kernels.activation_gradient", "kernels.update_decoder", "kernels.update"}));
}

}  // namespace
}  // namespace stepscope::clt
