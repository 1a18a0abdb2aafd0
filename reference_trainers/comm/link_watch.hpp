// SPDX-License-Identifier: Apache-2.0
// A thread that watches a group's links while its data goes another way: it tells rank 0 how far
// this rank is, and sees a rank end, fail, or stand at a call that others have made.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "reference_trainers/comm/links.hpp"

namespace stepscope::trainers {

class LinkWatch {
 public:
  // `on_failure` is called once, on the thread, when the group fails: it must free the program from
  // what it waits for. Where the program has not come to leave() within `grace`, the process ends
  // with status 1 and the reason on stderr.
  LinkWatch(std::unique_ptr<Links> links, std::chrono::milliseconds patience,
            std::function<void()> on_failure,
            std::chrono::milliseconds grace = std::chrono::seconds(5));
  ~LinkWatch();
  LinkWatch(const LinkWatch&) = delete;
  LinkWatch& operator=(const LinkWatch&) = delete;

  void made_a_call() { ++calls_; }
  bool failed() const { return failed_; }
  void check() const;  // throws the group's failure

  // This rank's own failure, sent to the others.
  void fail(const std::string& reason);
  // Returns when every rank has left, or a little later; nothing is watched from then on.
  void leave();

 private:
  using Clock = std::chrono::steady_clock;
  struct Peer {
    std::uint32_t calls = 0;
    Clock::time_point since = Clock::now();
    bool done = false;
  };

  void watch();
  void look_once();
  void judge_progress();
  void take_notice(int peer);
  void end_group(const std::string& reason);
  bool all_done() const;

  const std::unique_ptr<Links> links_;
  const std::chrono::milliseconds patience_, grace_;
  const std::function<void()> on_failure_;
  std::map<int, Peer> peers_;  // this rank among them
  std::atomic<std::uint32_t> calls_{0};
  std::atomic<bool> failed_{false}, leaving_{false};
  mutable std::mutex mutex_;
  std::string own_reason_, reason_;
  std::thread thread_;
};

}  // namespace stepscope::trainers
