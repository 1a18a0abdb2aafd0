// SPDX-License-Identifier: Apache-2.0
// Annotations named like a step: with one of the words step, iteration, iter, batch ("step 12",
// "train_step", "Step/12", "run_training_batch"), or any name with a running number whose ranges
// tile the run. Parts and wholes of steps are none: names with words like epoch, eval, optimizer,
// microbatch, and numbers that start anew ("layer 0" ... "layer 11").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stepscope {

// "train_step 12" -> stem "train_step #", number 12. Only digits that stand alone count: a hash has
// none.
struct NameParts {
  std::string stem;
  std::optional<std::int64_t> number;
};
NameParts split_number(std::string_view name);

bool is_named_like_a_step(std::string_view name);

}  // namespace stepscope
