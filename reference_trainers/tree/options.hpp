// SPDX-License-Identifier: Apache-2.0
// The command line of train_tree.
#pragma once

#include <span>

#include "reference_trainers/common/program/trainer_words.hpp"
#include "reference_trainers/tree/config.hpp"

namespace stepscope::tree {

using Request = trainers::Request<Config>;

Result<Request> parse(std::span<const char* const> arguments);

}  // namespace stepscope::tree
