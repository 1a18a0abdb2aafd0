// SPDX-License-Identifier: Apache-2.0
// Connections between rank 0 and each other rank, over which messages go whole and in order. A
// process that ends closes its sockets, so its death is seen at once; a rank that lives but does
// not come is given `patience`.
//
// A failure ends the group: rank 0 tells every other rank which rank failed and why, then
// each throws that as a RankFailure.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace stepscope::trainers {

// The description of a message: both ends send theirs, and a difference is an error on both.
struct Call {
  enum class Kind : std::uint32_t {
    all_reduce = 1,
    all_gather,
    broadcast,
    barrier,
    progress,
    reduce_scatter
  };
  Kind kind;
  std::uint32_t number = 0;  // calls of the group so far
};

class Links {
 public:
  // Owns the sockets: of rank 0 one for each other rank, at its number - 1; else the one to rank 0.
  Links(int rank, std::vector<int> sockets, std::chrono::milliseconds patience);
  ~Links();
  Links(const Links&) = delete;
  Links& operator=(const Links&) = delete;

  int rank() const { return rank_; }
  // 0 for all but rank 0, else 1 .. size - 1.
  std::vector<int> peers() const;

  void send(int to, const Call& call, const void* data, std::size_t bytes);
  void receive(int from, const Call& call, void* data, std::size_t bytes);

  // Collectives that go another way use the links for notices only: how far each rank is, and that
  // it is done, so that its end is not taken for a failure.
  void say_progress(std::uint32_t calls);
  void say_done();
  // Returns a peer, not yet done, of which a message is there before the time is over; else -1.
  int wait_for_any(std::chrono::milliseconds time) const;
  struct Notice {
    bool done = false;
    std::uint32_t calls = 0;
  };
  Notice notice(int from);

  // Tells all peers; does not throw, and does nothing a second time.
  void fail(const std::string& reason);
  [[noreturn]] void give_up(const std::string& reason);  // and throws it

 private:
  struct Header;

  int socket_of(int peer) const;
  void write_all(int to, const void* data, std::size_t bytes);
  void read_all(int from, void* data, std::size_t bytes);
  Header read_header(int from);
  [[noreturn]] void lost(int peer, const char* what);
  void await(int peer, short events);

  int rank_;
  std::vector<int> sockets_;
  std::vector<int> done_;  // peers
  std::chrono::milliseconds patience_;
  std::atomic<bool> failed_{false};  // abort() may come from beside a call
};

}  // namespace stepscope::trainers
