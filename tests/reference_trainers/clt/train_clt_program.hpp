// SPDX-License-Identifier: Apache-2.0
// The program itself: exit status and streams, as a shell sees them.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <string>

// Path of the program; the build gives it.
#ifndef TRAIN_CLT
#define TRAIN_CLT "train_clt"
#endif

namespace stepscope::clt {

struct Outcome {
  int status = -1;
  std::string output;
};

inline Outcome run_in_shell(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  Outcome outcome;
  char buffer[4096];
  for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    outcome.output.append(buffer, got);
  }
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

// `redirect` picks the stream that is read.
inline Outcome train_clt(const std::string& arguments,
                         const std::string& redirect = "2>/dev/null") {
  return run_in_shell(std::string(TRAIN_CLT) + " " + arguments + " " + redirect);
}

constexpr const char* kStderrOnly = "2>&1 >/dev/null";
constexpr const char* kTiny =
    "--device cpu --layers 2 --features 32 --d-model 8 --batch 16 --k 4 --rows 64 --steps 4";

}  // namespace stepscope::clt
