// SPDX-License-Identifier: Apache-2.0
// Writes the recording of a job of many ranks (tests/support/recorded_job.hpp), to time its report
// with:
//
//     job_ranks FOLDER RANKS [STEPS] [KERNELS]      50 steps of 300 kernels each by default
//     time stepscope report FOLDER
//     stepscope report --summarize-ranks FOLDER && time stepscope report FOLDER
#include <cstdlib>

#include "tests/support/recorded_job.hpp"

namespace {

std::uint32_t number(char** arguments, int count, int at, std::uint32_t otherwise) {
  return at < count ? static_cast<std::uint32_t>(std::atoi(arguments[at])) : otherwise;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    fmt::print(stderr, "usage: job_ranks FOLDER RANKS [STEPS] [KERNELS]\n");
    return 2;
  }
  const stepscope::Status written = stepscope::recorded_job::write_job(
      {arguments[1], number(arguments, count, 2, 8), number(arguments, count, 3, 50),
       number(arguments, count, 4, 300)});
  if (!written) fmt::print(stderr, "job_ranks: {}\n", written.error().message);
  return written ? 0 : 1;
}
