// SPDX-License-Identifier: Apache-2.0
// The few calls of MPI that a report spread over processes needs, which the module stepscope_mpi.so
// offers. The command never links MPI, so that it starts as fast and runs anywhere without it.
#pragma once

#include <string>
#include <string_view>

namespace stepscope {

struct MpiCalls {
  void (*start)(int* process, int* processes);
  void (*send)(int to, std::string_view message);
  // Waits without taking a core.
  std::string (*receive)(int from);
  void (*end)();
};

inline constexpr const char* kMpiModule = "stepscope_mpi.so";
inline constexpr const char* kMpiCalls = "stepscope_mpi_calls";  // the function that returns them

}  // namespace stepscope
