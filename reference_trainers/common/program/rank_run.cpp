// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/program/rank_run.hpp"

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>

#include <chrono>

#include "reference_trainers/comm/group.hpp"
#include "reference_trainers/common/first_line.hpp"

namespace stepscope::trainers {

Result<RankStart> start_rank(const Machine& machine, const Say& say, const RankChecks& checks) {
  const auto place = rank_place(machine.nproc);
  if (!place) return place.error();
  if (const Status fits = checks.ranks(place->size); !fits) return fits.error();
  if (const Status slow = check_slow_rank(machine.slow, place->size); !slow) return slow.error();
  const auto chosen = choose_device(machine.device, place->local_rank);
  if (!chosen) return chosen.error();
  RankStart start{*place, chosen->device, place->rank == 0 ? say : [](const std::string&) {}};
  if (!chosen->note.empty()) start.say(chosen->note);
  if (machine.threads > 0) at::set_num_threads(machine.threads);
  if (const Status ready = checks.device(start); !ready) return ready.error();
  if (machine.slow.rank >= 0) start.say("slow on purpose: " + about(machine.slow));
  *start.slow = SlowWork(machine.slow, place->rank, start.device);
  return start;
}

Result<std::unique_ptr<Comm>> join_ranks(const Machine& machine, const RankStart& start) {
  auto group = join_group(start.place.environment, start.device,
                          std::chrono::seconds(machine.rank_timeout_s));
  if (!group) return group.error();
  return start.slow->on_link_of(std::move(*group));
}

std::optional<std::string> memory_ran_out(const std::exception& thrown) {
  if (dynamic_cast<const std::bad_alloc*>(&thrown) != nullptr) return "the host has no more memory";
  const std::string what = first_line(thrown);
  const bool of_device = dynamic_cast<const c10::OutOfMemoryError*>(&thrown) != nullptr;
  // The CPU's allocator throws no type of its own.
  if (!of_device && what.find("allocate memory") == std::string::npos) return std::nullopt;
  return "LibTorch says: " + what;
}

}  // namespace stepscope::trainers
