// SPDX-License-Identifier: Apache-2.0
// The command line of train_polychromic.
#pragma once

#include <span>

#include "reference_trainers/common/program/trainer_words.hpp"
#include "reference_trainers/polychromic/config.hpp"

namespace stepscope::polychromic {

using Request = trainers::Request<Config>;

Result<Request> parse(std::span<const char* const> arguments);

}  // namespace stepscope::polychromic
