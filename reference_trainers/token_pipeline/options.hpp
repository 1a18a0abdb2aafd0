// SPDX-License-Identifier: Apache-2.0
// The command line of train_token_pipeline.
#pragma once

#include <span>

#include "reference_trainers/common/program/trainer_words.hpp"
#include "reference_trainers/token_pipeline/config.hpp"

namespace stepscope::token_pipeline {

using Request = trainers::Request<Config>;

Result<Request> parse(std::span<const char* const> arguments);

}  // namespace stepscope::token_pipeline
