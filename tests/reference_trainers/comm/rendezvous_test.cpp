// SPDX-License-Identifier: Apache-2.0
// Ranks that meet through the environment, as torchrun sets it: threads that play the processes.
#include "reference_trainers/comm/rendezvous.hpp"

#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "reference_trainers/comm/slurm_nodes.hpp"
#include "reference_trainers/comm/socket_comm.hpp"

namespace stepscope::trainers {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

std::uint16_t free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  (void)bind(socket, reinterpret_cast<sockaddr*>(&address), size);
  (void)getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  close(socket);
  return ntohs(address.sin_port);
}

RankEnvironment rank_of(int rank, int size, std::uint16_t port) {
  RankEnvironment environment{.rank = rank, .size = size, .local_rank = rank};
  environment.address = "127.0.0.1";
  environment.port = port;
  environment.attempt = "0";
  return environment;
}

TEST(Rendezvous, AllRanksMeet) {
  const std::uint16_t port = free_port();
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 3; ++rank)
    threads.emplace_back([=] {
      auto links = meet(rank_of(rank, 3, port), std::chrono::seconds(60), std::chrono::seconds(60));
      ASSERT_TRUE(links) << links.error().message;
      SocketComm comm(std::move(*links), 3);
      EXPECT_EQ(comm.rank(), rank);
      comm.barrier();
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(Rendezvous, MissingRanksAreNamed) {
  const auto links = meet(rank_of(0, 3, free_port()), milliseconds(1000), milliseconds(1000));
  ASSERT_FALSE(links);
  EXPECT_EQ(links.error().message, "rank 1, 2 did not come within 1 s");
}

// As those of a profiler of the program, or of a user who asks it something: one ends a wait that
// has a limit, and one that has none goes on.
class Signals {
 public:
  Signals() {
    struct sigaction ignored {};
    ignored.sa_handler = [](int) {};
    ignored.sa_flags = SA_RESTART;
    sigaction(SIGUSR1, &ignored, &before_);
  }
  ~Signals() { sigaction(SIGUSR1, &before_, nullptr); }

 private:
  struct sigaction before_ {};
};

TEST(Rendezvous, SignalsDoNotMakeItWaitForEver) {
  const Signals signals;
  const std::uint16_t port = free_port();
  const pthread_t rank_0 = pthread_self();
  std::atomic<bool> done{false};
  std::thread sender([&] {
    c10d::TCPStoreOptions options;
    options.port = port;
    options.waitWorkers = false;
    c10d::TCPStore store("127.0.0.1", options);
    store.wait({"stepscope/ranks/0"});  // from then on rank 0 waits for the others
    for (; !done; std::this_thread::sleep_for(milliseconds(10))) pthread_kill(rank_0, SIGUSR1);
  });
  const auto links = meet(rank_of(0, 2, port), milliseconds(1000), milliseconds(1000));
  done = true;
  sender.join();
  ASSERT_FALSE(links);
  EXPECT_EQ(links.error().message, "rank 1 did not come within 1 s");
}

TEST(Rendezvous, AMissingStoreIsNamed) {
  const std::uint16_t port = free_port();
  const auto links = meet(rank_of(1, 3, port), milliseconds(1000), milliseconds(1000));
  ASSERT_FALSE(links);
  EXPECT_THAT(links.error().message,
              HasSubstr("does not answer at 127.0.0.1:" + std::to_string(port)));
}

class Environment : public testing::Test {
 protected:
  void SetUp() override {
    set("RANK", "1"), set("WORLD_SIZE", "4"), set("LOCAL_RANK", "0");
    set("MASTER_ADDR", "::1"), set("MASTER_PORT", "29500");
  }
  void TearDown() override {
    for (const char* name :
         {"RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT", "SLURM_PROCID",
          "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "SLURM_STEP_NODELIST", "OMPI_COMM_WORLD_RANK",
          "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE",
          "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"})
      unsetenv(name);
  }
  static void set(const char* name, const char* value) { setenv(name, value, 1); }
  static std::string error() {
    const auto found = rank_environment();
    return found ? "" : found.error().message;
  }
};

TEST_F(Environment, IsReadAsTorchrunSetsIt) {
  const auto found = rank_environment();
  ASSERT_TRUE(found && found->has_value());
  EXPECT_EQ((*found)->rank, 1);
  EXPECT_EQ((*found)->size, 4);
  EXPECT_EQ((*found)->local_rank, 0);
  EXPECT_EQ((*found)->address, "::1");
  EXPECT_EQ((*found)->port, 29500);
  unsetenv("RANK");
  EXPECT_FALSE(rank_environment()->has_value());
}

TEST_F(Environment, OtherLaunchersAreReadWhereTorchrunIsNot) {
  TearDown();
  set("PMI_RANK", "1"), set("PMI_SIZE", "2");
  EXPECT_THAT(error(), HasSubstr("PMI_RANK is set but no MASTER_ADDR"));
  set("MASTER_ADDR", "head");
  EXPECT_EQ((*rank_environment())->port, 29500);
  set("OMPI_COMM_WORLD_RANK", "2"), set("OMPI_COMM_WORLD_SIZE", "3");
  set("OMPI_COMM_WORLD_LOCAL_RANK", "1"), set("MASTER_PORT", "7");
  auto found = rank_environment();
  ASSERT_TRUE(found && found->has_value()) << found.error().message;
  EXPECT_EQ((*found)->rank, 2);
  EXPECT_EQ((*found)->size, 3);
  EXPECT_EQ((*found)->local_rank, 1);
  EXPECT_EQ((*found)->port, 7);
  unsetenv("MASTER_ADDR");
  EXPECT_THAT(error(), HasSubstr("OMPI_COMM_WORLD_RANK is set but no MASTER_ADDR"));
  set("OMPI_COMM_WORLD_LOCAL_SIZE", "3");  // all on this host
  EXPECT_EQ((*rank_environment())->address, "127.0.0.1");
  set("SLURM_PROCID", "0");  // a batch script, no step of srun
  EXPECT_EQ((*rank_environment())->size, 3);
  set("SLURM_STEP_NUM_TASKS", "16"), set("SLURM_LOCALID", "0");
  set("SLURM_STEP_NODELIST", "gpu[03-04,9]");
  found = rank_environment();
  EXPECT_EQ((*found)->size, 16);
  EXPECT_EQ((*found)->address, "gpu03");
  EXPECT_EQ((*found)->size_variable, "SLURM_STEP_NUM_TASKS");
}

TEST(SlurmNodes, TheFirstHostOfAList) {
  EXPECT_EQ(first_slurm_host("head"), "head");
  EXPECT_EQ(first_slurm_host("a,b"), "a");
  EXPECT_EQ(first_slurm_host("gpu[01-04,07],head"), "gpu01");
  EXPECT_EQ(first_slurm_host("r[2,5]n[10-12].site,x"), "r2n10.site");
  EXPECT_EQ(first_slurm_host(""), "");
}

TEST_F(Environment, WhatIsWrongIsNamed) {
  set("RANK", "4");
  EXPECT_EQ(error(), "the environment's RANK is '4'; it must be 0 to 3");
  set("RANK", "x1");
  EXPECT_THAT(error(), HasSubstr("RANK is 'x1'"));
  set("RANK", "1"), set("WORLD_SIZE", "");
  EXPECT_THAT(error(), HasSubstr("WORLD_SIZE is ''"));
  set("WORLD_SIZE", "4"), set("MASTER_PORT", "70000");
  EXPECT_THAT(error(), HasSubstr("MASTER_PORT is '70000'"));
  set("MASTER_PORT", "29500"), unsetenv("MASTER_ADDR");
  EXPECT_THAT(error(), HasSubstr("no MASTER_ADDR"));
}

}  // namespace
}  // namespace stepscope::trainers
