// SPDX-License-Identifier: Apache-2.0
// The collector with the real recorder, started when an NVTX client loads it: for the benchmark.
// Records into STEPSCOPE_TEST_FOLDER.
#include <sys/stat.h>

#include <cstdlib>
#include <string>

#include "collectors/recorder/process_state.hpp"

namespace {

__attribute__((constructor)) void start_recording() {
  const char* folder = std::getenv("STEPSCOPE_TEST_FOLDER");
  if (folder == nullptr) return;
  mkdir((std::string(folder) + "/live").c_str(), 0755);
  stepscope::recorder::start({.folder = folder});
}

}  // namespace
