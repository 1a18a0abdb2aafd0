// SPDX-License-Identifier: Apache-2.0
// What the programs here share: --repetitions N, --case NAME and --once, and 77, which ctest takes
// for skipped, where there is no GPU.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/kernels/support/gpu_found.hpp"

namespace stepscope::kernels {

struct BenchOptions {
  std::size_t repetitions = 0;
  std::string only;   // a case's name; empty: all
  bool once = false;  // each way once, and nothing timed

  bool wants(const char* name) const { return only.empty() || only == name; }
};

// run(options): whether all answers were right.
template <class Run>
int bench_main(int count, char** words, std::size_t repetitions, Run run) {
  BenchOptions options{repetitions};
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(words[i], "--once") == 0) options.once = true;
    if (i + 1 == count) break;
    if (std::strcmp(words[i], "--repetitions") == 0)
      options.repetitions = std::strtoul(words[i + 1], nullptr, 10);
    if (std::strcmp(words[i], "--case") == 0) options.only = words[i + 1];
  }
  if (!gpu_found()) {
    std::puts("no GPU");
    return 77;
  }
  return run(options) ? 0 : 1;
}

}  // namespace stepscope::kernels
