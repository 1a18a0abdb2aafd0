// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/comm/rank_environment.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "reference_trainers/comm/slurm_nodes.hpp"

namespace stepscope::trainers {
namespace {

std::string value_of(const char* name, const char* otherwise = "") {
  const char* value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}

Result<int> number(const char* name, const std::string& value, int least, int most) {
  int parsed = 0;
  const char* end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, parsed);
  if (error != std::errc() || rest != end || parsed < least || parsed > most)
    return usage_error(
        fmt::format("the environment's {} is '{}'; it must be {} to {}", name, value, least, most));
  return parsed;
}

// Names of variables; null: the launcher has none.
struct Launcher {
  const char *rank, *size, *local_rank, *local_size;
};
constexpr std::array kLaunchers{
    Launcher{"RANK", "WORLD_SIZE", "LOCAL_RANK", nullptr},
    Launcher{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", nullptr},
    Launcher{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
             "OMPI_COMM_WORLD_LOCAL_SIZE"},
    Launcher{"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
};
constexpr const Launcher& kTorchrun = kLaunchers[0];
constexpr const Launcher& kSrun = kLaunchers[1];

// A rank without a size is none of srun's (a batch script) or mpirun's; torchrun gives both.
const Launcher* launcher_here() {
  for (const Launcher& launcher : kLaunchers) {
    if (value_of(launcher.rank).empty()) continue;
    if (&launcher == &kTorchrun || !value_of(launcher.size).empty()) return &launcher;
  }
  return nullptr;
}

Result<std::string> address_of_rank_0(const Launcher& launcher, int size) {
  const std::string given = value_of("MASTER_ADDR");
  if (!given.empty()) return given;
  if (&launcher == &kTorchrun)
    return usage_error("the environment has RANK but no MASTER_ADDR: the address of rank 0");
  if (&launcher == &kSrun) {
    const std::string host = first_slurm_host(value_of("SLURM_STEP_NODELIST"));
    if (!host.empty()) return host;
  } else if (launcher.local_size != nullptr &&
             value_of(launcher.local_size) == std::to_string(size)) {
    return std::string("127.0.0.1");
  }
  return usage_error(
      fmt::format("{} is set but no MASTER_ADDR: export it with the address of rank 0's host, and "
                  "MASTER_PORT where 29500 is taken",
                  launcher.rank));
}

}  // namespace

Result<std::optional<RankEnvironment>> rank_environment() {
  constexpr int kMostRanks = 4096;
  const Launcher* launcher = launcher_here();
  if (launcher == nullptr) return std::optional<RankEnvironment>();
  const Result<int> size = number(launcher->size, value_of(launcher->size), 1, kMostRanks);
  if (!size) return size.error();
  const std::string rank_text = value_of(launcher->rank);
  const Result<int> rank = number(launcher->rank, rank_text, 0, *size - 1);
  if (!rank) return rank.error();
  const Result<int> local = number(
      launcher->local_rank, value_of(launcher->local_rank, rank_text.c_str()), 0, kMostRanks);
  if (!local) return local.error();
  const Result<int> port = number(
      "MASTER_PORT", value_of("MASTER_PORT", launcher == &kTorchrun ? "" : "29500"), 1, 65535);
  if (!port) return port.error();
  const Result<int> socket =
      number(kStoreSocketVariable, value_of(kStoreSocketVariable, "-1"), -1, 1 << 20);
  if (!socket) return socket.error();
  const Result<std::string> address = address_of_rank_0(*launcher, *size);
  if (!address) return address.error();
  RankEnvironment found{.rank = *rank, .size = *size, .local_rank = *local};
  found.address = *address;
  found.port = static_cast<std::uint16_t>(*port);
  found.store_is_served = value_of("TORCHELASTIC_USE_AGENT_STORE") == "True";
  found.store_socket = *socket;
  found.attempt = value_of("TORCHELASTIC_RESTART_COUNT", "0");
  found.size_variable = launcher->size;
  return std::optional(found);
}

}  // namespace stepscope::trainers
