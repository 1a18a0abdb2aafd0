// SPDX-License-Identifier: Apache-2.0
// Ranks as threads of one process: the group of processes that trains on CPUs, over socket pairs.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "reference_trainers/comm/socket_comm.hpp"

namespace stepscope::trainers {

inline std::vector<std::unique_ptr<Links>> connected_links(int size,
                                                           std::chrono::milliseconds patience) {
  std::vector<std::vector<int>> sockets(static_cast<std::size_t>(size));
  for (std::size_t rank = 1; rank < sockets.size(); ++rank) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
      throw std::runtime_error("socketpair");
    sockets[0].push_back(pair[0]);
    sockets[rank].push_back(pair[1]);
  }
  std::vector<std::unique_ptr<Links>> links;
  for (int rank = 0; rank < size; ++rank)
    links.push_back(
        std::make_unique<Links>(rank, sockets[static_cast<std::size_t>(rank)], patience));
  return links;
}

// body(Comm&) on each rank; what each threw, empty where it returned.
template <class Body>
std::vector<std::string> failures_of_ranks(int size, std::chrono::milliseconds patience,
                                           Body body) {
  auto links = connected_links(size, patience);
  std::vector<std::string> failures(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < links.size(); ++rank)
    threads.emplace_back([&, rank] {
      try {
        SocketComm comm(std::move(links[rank]), size);
        body(comm);
      } catch (const std::exception& error) {
        failures[rank] = error.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  return failures;
}

// The same where no rank may fail.
template <class Body>
void run_ranks(int size, Body body) {
  for (const std::string& failure : failures_of_ranks(size, std::chrono::seconds(60), body))
    if (!failure.empty()) throw std::runtime_error(failure);
}

}  // namespace stepscope::trainers
