// SPDX-License-Identifier: Apache-2.0
// The program itself: exit status and streams, as a shell sees them.
#pragma once

#include <string>

#include "tests/reference_trainers/rank_processes.hpp"

// Path of the program; the build gives it.
#ifndef TRAIN_CLT
#define TRAIN_CLT "train_clt"
#endif

namespace stepscope::clt {

using trainers::kStderrOnly;
using trainers::Outcome;
using trainers::run_in_shell;

// `redirect` picks the stream that is read.
inline Outcome train_clt(const std::string& arguments,
                         const std::string& redirect = "2>/dev/null") {
  return run_in_shell(std::string(TRAIN_CLT) + " " + arguments + " " + redirect);
}

constexpr const char* kTiny =
    "--device cpu --layers 2 --features 32 --d-model 8 --batch 16 --k 4 --rows 64 --steps 4";

}  // namespace stepscope::clt
