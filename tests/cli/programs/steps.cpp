// SPDX-License-Identifier: Apache-2.0
// steps COUNT MILLISECONDS [STATUS]: a loop of marked steps that sleep, and an exit status.
#include <unistd.h>
#include <stepscope/annotate.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 10;
  const double milliseconds = argc > 2 ? std::atof(argv[2]) : 5;
  for (int i = 0; i < count; ++i) {
    const auto range = stepscope::phase(("step " + std::to_string(i)).c_str());
    usleep(static_cast<useconds_t>(milliseconds * 1000));
  }
  std::printf("slept\n");
  return argc > 3 ? std::atoi(argv[3]) : 0;
}
