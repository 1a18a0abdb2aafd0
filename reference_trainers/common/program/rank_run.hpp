// SPDX-License-Identifier: Apache-2.0
// How a training begins, whatever it trains: the process learns which rank it is, takes its device
// and joins its group; where it fails the other ranks are informed.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>

#include "core/support/result.hpp"
#include "reference_trainers/comm/comm.hpp"
#include "reference_trainers/comm/rank_place.hpp"
#include "reference_trainers/common/device.hpp"
#include "reference_trainers/common/program/slow_work.hpp"
#include "reference_trainers/common/program/trainer_main.hpp"

namespace stepscope::trainers {

// The fields of a trainer's configuration that say where it runs.
struct Machine {
  int nproc = 1;             // ranks to start on this machine
  int rank_timeout_s = 120;  // for a rank to come to a call that others have made
  int threads = 1;           // LibTorch's on the CPU: 1 repeats to the bit; 0: its own choice
  DeviceWish device = DeviceWish::automatic;
  SlowRank slow;  // planted on purpose
};

struct RankStart {
  RankPlace place;
  at::Device device;
  Say say;  // rank 0's; the others say nothing
  std::shared_ptr<SlowWork> slow = std::make_shared<SlowWork>();
};

// What a trainer adds to its start.
struct RankChecks {
  // Says whether the configuration fits so many ranks, before a device is looked for.
  std::function<Status(int ranks)> ranks;
  // Is called before the ranks join, for what is set once a process.
  std::function<Status(const RankStart&)> device;
};

Result<RankStart> start_rank(const Machine& machine, const Say& say, const RankChecks& checks);
Result<std::unique_ptr<Comm>> join_ranks(const Machine& machine, const RankStart& start);

// Returns what an exception says where it means that memory ran out; else nothing.
std::optional<std::string> memory_ran_out(const std::exception& thrown);

// `body` trains as this rank; `out_of_memory` makes an Error of what LibTorch says, which tells a
// user what to lower.
template <class Value>
Result<Value> run_as_rank(const Machine& machine, const Say& say, const RankChecks& checks,
                          const std::function<Error(const std::string& what)>& out_of_memory,
                          const std::function<Result<Value>(const RankStart&, Comm& group)>& body) {
  const Result<RankStart> start = start_rank(machine, say, checks);
  if (!start) return start.error();
  const auto group = join_ranks(machine, *start);
  if (!group) return group.error();
  return as_rank<Value>(**group, [&]() -> Result<Value> {
    try {
      return body(*start, **group);
    } catch (const RankFailure&) {
      throw;
    } catch (const std::exception& thrown) {
      const std::optional<std::string> what = memory_ran_out(thrown);
      if (!what) throw;
      return out_of_memory(*what);
    }
  });
}

}  // namespace stepscope::trainers
