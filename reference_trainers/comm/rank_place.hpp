// SPDX-License-Identifier: Apache-2.0
// What a trainer's run does as one rank of several, whatever it trains.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <string>

#include "core/support/result.hpp"
#include "reference_trainers/comm/comm.hpp"
#include "reference_trainers/comm/rank_environment.hpp"
#include "reference_trainers/common/first_line.hpp"

namespace stepscope::trainers {

struct RankPlace {
  std::optional<RankEnvironment> environment;
  int rank = 0, size = 1, local_rank = 0;
};

// An Error: the environment is wrong, or is of another number of ranks than `nproc` (1: any).
Result<RankPlace> rank_place(int nproc);

// Whether this process is to start the ranks, and not to be one.
bool starts_ranks(int nproc);

// Adds the rank's name where there are several.
Error named_by_rank(const Comm& comm, const Error& error);

// body(); where it fails the others are informed before this rank ends, and say why they end.
template <class Value>
Result<Value> as_rank(Comm& comm, const std::function<Result<Value>()>& body) {
  const auto failed = [&comm](const Error& own) {
    const Error error = named_by_rank(comm, own);
    comm.abort(error.message);
    return error;
  };
  try {
    Result<Value> value = body();
    if (!value) return failed(value.error());
    return value;
  } catch (const RankFailure& failure) {
    comm.abort(failure.what());
    throw;
  } catch (const std::exception& thrown) {
    return failed(bad_input(first_line(thrown)));
  }
}

}  // namespace stepscope::trainers
