// SPDX-License-Identifier: Apache-2.0
// A step's samples, packed: their rows back to back without padding, in the order of the plan. All
// whole numbers lie in one tensor, so that a batch is two copies to a device:
//
//   tokens [rows] | kinds [rows] | positions [rows] | slots [rows] | lengths [n] | labels [n]
//
// kinds: 0 previous, 1 current, 2 next region. positions: in the sample. slots: a row's place in
// its part, which is padded to [samples, longest].
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <vector>

#include "reference_trainers/token_pipeline/data/step_plan.hpp"

namespace stepscope::token_pipeline {

struct Batch {
  StepPlan plan;
  std::vector<std::array<std::int64_t, kRegionsOfSample>> regions;  // lengths, of each sample
  at::Tensor numbers;                                               // int64
  at::Tensor features;                                              // float32 [rows, features]

  at::Tensor tokens(const Part& part) const { return of_rows(0, part); }
  at::Tensor kinds(const Part& part) const { return of_rows(1, part); }
  at::Tensor positions(const Part& part) const { return of_rows(2, part); }
  at::Tensor slots(const Part& part) const { return of_rows(3, part); }
  at::Tensor lengths(const Part& part) const { return of_samples(0, part); }
  at::Tensor labels(const Part& part) const { return of_samples(1, part); }
  at::Tensor features_of(const Part& part) const {
    return features.narrow(0, part.first_row, part.rows);
  }

  std::int64_t count() const { return static_cast<std::int64_t>(plan.samples.size()); }

 private:
  at::Tensor of_rows(std::int64_t field, const Part& part) const {
    return numbers.narrow(0, field * plan.rows + part.first_row, part.rows);
  }
  at::Tensor of_samples(std::int64_t field, const Part& part) const {
    return numbers.narrow(0, 4 * plan.rows + field * count() + part.first_sample, part.samples);
  }
};

}  // namespace stepscope::token_pipeline
