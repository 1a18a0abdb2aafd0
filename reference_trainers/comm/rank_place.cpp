// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/comm/rank_place.hpp"

#include <fmt/format.h>

namespace stepscope::trainers {

Result<RankPlace> rank_place(int nproc) {
  const auto environment = rank_environment();
  if (!environment) return environment.error();
  RankPlace place{.environment = *environment};
  if (place.environment) {
    place.rank = place.environment->rank;
    place.size = place.environment->size;
    place.local_rank = place.environment->local_rank;
  }
  if (nproc != 1 && nproc != place.size)
    return usage_error(fmt::format("--nproc {}, but this is a rank of {} ({})", nproc, place.size,
                                   place.environment ? place.environment->size_variable : "alone"));
  return place;
}

bool starts_ranks(int nproc) {
  if (nproc <= 1) return false;
  const auto environment = rank_environment();
  return environment && !*environment;
}

Error named_by_rank(const Comm& comm, const Error& error) {
  if (comm.size() == 1) return error;
  return {error.code, fmt::format("rank {}: {}", comm.rank(), error.message)};
}

}  // namespace stepscope::trainers
