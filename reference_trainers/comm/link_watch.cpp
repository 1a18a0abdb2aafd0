// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/comm/link_watch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "reference_trainers/comm/comm.hpp"

namespace stepscope::trainers {
namespace {

constexpr std::chrono::milliseconds kWatchGlance{200};
constexpr std::chrono::seconds kLeaveTogether{10};

}  // namespace

LinkWatch::LinkWatch(std::unique_ptr<Links> links, std::chrono::milliseconds patience,
                     std::function<void()> on_failure, std::chrono::milliseconds grace)
    : links_(std::move(links)),
      patience_(patience),
      grace_(grace),
      on_failure_(std::move(on_failure)) {
  peers_[links_->rank()] = {};
  for (const int peer : links_->peers()) peers_[peer] = {};
  thread_ = std::thread([this] { watch(); });
}

LinkWatch::~LinkWatch() {
  leave();
}

void LinkWatch::check() const {
  if (!failed_) return;
  const std::lock_guard lock(mutex_);
  throw RankFailure(reason_);
}

void LinkWatch::fail(const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    own_reason_ = reason;
  }
  leave();
}

void LinkWatch::leave() {
  leaving_ = true;
  if (thread_.joinable()) thread_.join();
}

bool LinkWatch::all_done() const {
  return std::all_of(peers_.begin(), peers_.end(), [&](const auto& peer) {
    return peer.first == links_->rank() || peer.second.done;
  });
}

void LinkWatch::watch() {
  try {
    while (!leaving_) look_once();
    {
      const std::lock_guard lock(mutex_);
      if (!own_reason_.empty()) return links_->fail(own_reason_);
    }
    links_->say_done();
    const auto end = Clock::now() + kLeaveTogether;
    while (!all_done() && Clock::now() < end) take_notice(links_->wait_for_any(kWatchGlance));
  } catch (const RankFailure& failure) {
    end_group(failure.what());
  }
}

void LinkWatch::look_once() {
  const std::uint32_t calls = calls_;
  Peer& own = peers_[links_->rank()];
  if (calls != own.calls) {
    own.calls = calls;
    own.since = Clock::now();
    if (links_->rank() != 0) links_->say_progress(calls);
  }
  take_notice(links_->wait_for_any(kWatchGlance));
  if (links_->rank() == 0) judge_progress();
}

void LinkWatch::take_notice(int from) {
  if (from < 0) return;
  const Links::Notice notice = links_->notice(from);
  Peer& peer = peers_[from];
  peer.done = notice.done;
  if (notice.done || notice.calls == peer.calls) return;
  peer.calls = notice.calls;
  peer.since = Clock::now();
}

void LinkWatch::judge_progress() {
  const auto by_calls = [](const auto& a, const auto& b) {
    return a.second.calls < b.second.calls;
  };
  const auto [last, first] = std::minmax_element(peers_.begin(), peers_.end(), by_calls);
  const bool stands = !last->second.done && last->second.calls < first->second.calls &&
                      Clock::now() - last->second.since > patience_;
  if (stands)
    links_->give_up(fmt::format("rank {} has stood at call {} for {} s while rank {} is at {}",
                                last->first, last->second.calls, patience_.count() / 1000,
                                first->first, first->second.calls));
}

void LinkWatch::end_group(const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    reason_ = reason;
  }
  failed_ = true;
  std::thread guard([this, &reason] {  // freeing the program may itself wait for ever
    const auto end = Clock::now() + grace_;
    while (!leaving_ && Clock::now() < end) std::this_thread::sleep_for(kWatchGlance);
    if (leaving_) return;
    std::fprintf(stderr, "error: %s\n", reason.c_str());
    _exit(1);
  });
  on_failure_();
  guard.join();
}

}  // namespace stepscope::trainers
