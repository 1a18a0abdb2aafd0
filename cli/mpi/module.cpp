// SPDX-License-Identifier: Apache-2.0
// The module itself. An error of MPI ends all processes, as MPI does unless told otherwise.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

#include "cli/mpi/mpi_calls.hpp"

namespace stepscope {
namespace {

constexpr std::uint64_t kMostAtOnce = std::uint64_t{1} << 30U;  // MPI counts in int

void start(int* process, int* processes) {
  int level = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, process);
  MPI_Comm_size(MPI_COMM_WORLD, processes);
}

void send(int to, std::string_view message) {
  const std::uint64_t size = message.size();
  MPI_Send(&size, 1, MPI_UINT64_T, to, 0, MPI_COMM_WORLD);
  for (std::uint64_t at = 0; at < size; at += kMostAtOnce) {
    const int bytes = static_cast<int>(std::min(kMostAtOnce, size - at));
    MPI_Send(message.data() + at, bytes, MPI_BYTE, to, 0, MPI_COMM_WORLD);
  }
}

// MPI itself waits at full speed. Longer and longer pauses keep the cores free for who works.
void wait_for_message(int from) {
  using namespace std::chrono_literals;
  int is_there = 0;
  for (std::chrono::microseconds pause = 100us;;
       pause = std::min<std::chrono::microseconds>(2 * pause, 10ms)) {
    MPI_Iprobe(from, 0, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
    if (is_there != 0) return;
    std::this_thread::sleep_for(pause);
  }
}

std::string receive(int from) {
  wait_for_message(from);
  std::uint64_t size = 0;
  MPI_Recv(&size, 1, MPI_UINT64_T, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  std::string out(size, '\0');
  for (std::uint64_t at = 0; at < size; at += kMostAtOnce) {
    const int bytes = static_cast<int>(std::min(kMostAtOnce, size - at));
    MPI_Recv(out.data() + at, bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return out;
}

void end() {
  MPI_Finalize();
}

}  // namespace
}  // namespace stepscope

extern "C" __attribute__((visibility("default"))) const stepscope::MpiCalls* stepscope_mpi_calls() {
  using namespace stepscope;
  static constexpr MpiCalls kCalls{start, send, receive, end};
  return &kCalls;
}
