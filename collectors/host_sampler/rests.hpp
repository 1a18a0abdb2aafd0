// SPDX-License-Identifier: Apache-2.0
// How long the sampler rests after a round of samples, so that it takes at most 0.5 % of a core in
// the long run.
//
// Code that is met for the first time is expensive to read, and a short program may end before a
// long rest is over: the first rounds are not followed by the rests that their cost asks for.
// Later, the rest of an expensive round is shared among the rounds behind it: taken at once, it
// would leave a time without samples right behind code that is expensive to read.
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
  std::int64_t owed_ns_ = 0;    // rest that is still due
};

}  // namespace stepscope::host_sampler
