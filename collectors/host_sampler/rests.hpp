// SPDX-License-Identifier: Apache-2.0
// How long the sampler rests after a look, so that it takes at most 0.5 % of a core in the long
// run.
//
// What is met for the first time is dear to read, and a short program has ended before long rests
// are over: the first looks are not followed by the rests that their cost asks for. Later a dear
// look's rest is shared among the looks behind it: were it taken at once, what is dear to read
// would be followed by a time in which nothing is seen.
#pragma once

#include <cstdint>

namespace stepscope::host_sampler {

class Rests {
 public:
  static constexpr std::int64_t kRestPerWork = 200;
  static constexpr std::int64_t kFirstWork_ns = 60'000'000;
  static constexpr std::int64_t kFirstRest_ns = 10'000'000;
  static constexpr std::int64_t kLongest_ns = 100'000'000;

  // The rest, in ns, that is due after a look that took that much CPU time.
  std::int64_t after(std::int64_t work_ns) noexcept;

 private:
  std::int64_t worked_ns_ = 0;  // so far
  std::int64_t owed_ns_ = 0;    // of rest
};

}  // namespace stepscope::host_sampler
