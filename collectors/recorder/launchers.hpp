// SPDX-License-Identifier: Apache-2.0
// The variables with which a launcher tells a process which rank of how many it is. The first
// launcher that sets both counts. A rank without a size is none: srun's batch script has a
// SLURM_PROCID, and is no step of srun.
#pragma once

namespace stepscope::recorder {

struct LauncherVariables {
  const char *rank, *size;
};

inline constexpr LauncherVariables kLaunchers[] = {
    {"RANK", "WORLD_SIZE"},                            // torchrun
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},  // mpirun of Open MPI
    {"PMI_RANK", "PMI_SIZE"},                          // mpiexec of MPICH and Intel MPI
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},    // mpirun of MVAPICH
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},          // srun
};

}  // namespace stepscope::recorder
