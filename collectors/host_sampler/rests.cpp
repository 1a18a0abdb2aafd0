// SPDX-License-Identifier: Apache-2.0
#include "collectors/host_sampler/rests.hpp"

#include <algorithm>

namespace stepscope::host_sampler {

std::int64_t Rests::after(std::int64_t work_ns) noexcept {
  worked_ns_ += work_ns;
  if (worked_ns_ <= kFirstWork_ns) return std::min(kRestPerWork * work_ns, kFirstRest_ns);
  owed_ns_ += kRestPerWork * work_ns;
  const std::int64_t rest = std::min(owed_ns_, kLongest_ns);
  owed_ns_ -= rest;
  return rest;
}

}  // namespace stepscope::host_sampler
