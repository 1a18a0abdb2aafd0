// SPDX-License-Identifier: Apache-2.0
#include "collectors/nvtx/domains.hpp"

namespace stepscope::nvtx {
namespace {
static_assert(kMaxDomains == 47, "the note below names the number");
constinit Domain domains[kMaxDomains] = {};
}  // namespace

Domain* create_domain(recorder::NameId name) noexcept {
  const std::uint64_t wanted = std::uint64_t{name} + 1;
  for (std::uint32_t i = 1; i < kMaxDomains - 1; ++i) {
    std::uint64_t found = 0;
    if (domains[i].name_plus_one.compare_exchange_strong(found, wanted) || found == wanted) {
      return &domains[i];
    }
  }
  Domain& shared = domains[kMaxDomains - 1];
  const std::uint64_t name_of_shared =
      std::uint64_t{recorder::intern_name("(further domains)", 17)} + 1;
  if (shared.name_plus_one.exchange(name_of_shared) == 0) {
    recorder::note("nvtx: more than 45 domains; the further ones are recorded as one");
  }
  return &shared;
}

std::uint32_t index_of(const Domain* handle) noexcept {
  return handle == nullptr ? 0 : static_cast<std::uint32_t>(handle - domains);
}

Domain* domain_at(std::uint32_t index) noexcept {
  return index == 0 ? nullptr : &domains[index];
}

}  // namespace stepscope::nvtx
