// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/token_pipeline/data/step_plan.hpp"

#include <ATen/ops/randperm.h>
#include <fmt/format.h>

#include <algorithm>

#include "reference_trainers/common/random.hpp"
#include "reference_trainers/common/span.hpp"

namespace stepscope::token_pipeline {

StepPlan plan_step(const Regions& regions, std::vector<std::int64_t> samples, std::int64_t parts) {
  if (parts > 1)
    std::stable_sort(samples.begin(), samples.end(), [&](std::int64_t a, std::int64_t b) {
      return regions.length_of(a) < regions.length_of(b);
    });
  StepPlan plan{.samples = std::move(samples), .parts = {}, .rows = 0};
  const auto count = static_cast<std::int64_t>(plan.samples.size());
  for (int i = 0; i < parts; ++i) {
    const trainers::Span span = trainers::share_of(count, i, static_cast<int>(parts));
    Part part{.first_sample = span.begin, .samples = span.size(), .first_row = plan.rows};
    for (std::int64_t s = span.begin; s < span.end; ++s) {
      const std::int64_t length = regions.length_of(plan.samples[static_cast<std::size_t>(s)]);
      part.rows += length;
      part.longest = std::max(part.longest, length);
    }
    plan.rows += part.rows;
    plan.parts.push_back(part);
  }
  return plan;
}

Result<SampleOrder> SampleOrder::make(const Config& config, const Regions& regions) {
  SampleOrder order;
  order.seed_ = config.seed;
  order.samples_ = regions.samples();
  order.of_rank_ = config.samples_of_rank();
  order.of_step_ = config.samples_a_step();
  order.steps_of_epoch_ = order.samples_ / order.of_step_;
  if (order.steps_of_epoch_ < 1)
    return bad_input(fmt::format(
        "there are {} samples, a step of {} takes {}; lower --batch", order.samples_,
        config.ranks > 1 ? fmt::format("{} ranks", config.ranks) : std::string("one rank"),
        order.of_step_));
  return order;
}

std::vector<std::int64_t> SampleOrder::range(std::int64_t step, std::int64_t begin,
                                             std::int64_t count) {
  const std::int64_t epoch = step / steps_of_epoch_;
  if (epoch != epoch_) {
    at::Generator random = trainers::seeded_generator(seed_, trainers::RandomStream::batches,
                                                      static_cast<std::uint64_t>(epoch));
    const at::Tensor all = at::randperm(samples_, random, at::TensorOptions(at::kLong));
    const auto* sample = all.const_data_ptr<std::int64_t>();
    order_.assign(sample, sample + samples_);
    epoch_ = epoch;
  }
  const auto first = order_.begin() + (step % steps_of_epoch_ * of_step_ + begin);
  return {first, first + count};
}

std::vector<std::int64_t> SampleOrder::samples_of(std::int64_t step, int rank) {
  return range(step, rank * of_rank_, of_rank_);
}

std::vector<std::int64_t> SampleOrder::samples_of(std::int64_t step) {
  return range(step, 0, of_step_);
}

}  // namespace stepscope::token_pipeline
