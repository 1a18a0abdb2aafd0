// SPDX-License-Identifier: Apache-2.0
// Which rank of how many this process is, as its launcher says it in the environment. The first
// launcher whose variables are there counts:
//
//   torchrun, and this folder's own   RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT
//   srun                              SLURM_PROCID, SLURM_STEP_NUM_TASKS, SLURM_LOCALID; rank 0 is
//                                     on the first host of SLURM_STEP_NODELIST
//   mpirun of Open MPI                OMPI_COMM_WORLD_RANK, _SIZE, _LOCAL_RANK, _LOCAL_SIZE
//   mpirun of MPICH and Intel         PMI_RANK, PMI_SIZE, MPI_LOCALRANKID
//
// MASTER_ADDR and MASTER_PORT say for each of them where rank 0 is. Without them the port is 29500,
// and mpirun's ranks must be on one host. A shell of sbatch that is no step of srun is no rank.
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
  std::string size_variable;     // the variable that holds the size, for messages
};

// Name of the variable that holds the launcher's socket.
constexpr const char* kStoreSocketVariable = "STEPSCOPE_STORE_SOCKET";

// Empty where no launcher's rank is set. An Error names the variable that is missing or wrong.
Result<std::optional<RankEnvironment>> rank_environment();

}  // namespace stepscope::trainers
