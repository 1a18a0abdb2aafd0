// SPDX-License-Identifier: Apache-2.0
// Which rank of how many this process is, as torchrun and this folder's launcher say it in the
// environment: RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/support/result.hpp"

namespace stepscope::trainers {

struct RankEnvironment {
  int rank = 0, size = 1;
  int local_rank = 0;  // which of this machine's GPUs
  std::string address;
  std::uint16_t port = 0;
  bool store_is_served = false;  // by torchrun itself; else rank 0 serves it
  int store_socket = -1;         // where the launcher holds the port open for rank 0
  std::string attempt;           // differs each time torchrun starts the ranks again
};

// Where the launcher tells its socket.
constexpr const char* kStoreSocketVariable = "STEPSCOPE_STORE_SOCKET";

// Empty where RANK is not set. An Error names the variable that is missing or wrong.
Result<std::optional<RankEnvironment>> rank_environment();

}  // namespace stepscope::trainers
