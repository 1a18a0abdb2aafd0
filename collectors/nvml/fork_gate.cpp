// SPDX-License-Identifier: Apache-2.0
#include "collectors/nvml/fork_gate.hpp"

#include <pthread.h>
#include <unistd.h>

#include "collectors/recorder/clock.hpp"

namespace stepscope::nvml {
namespace {

constexpr std::int64_t kLongestWait_ns = 500'000'000;
constexpr useconds_t kPause_us = 50;

}  // namespace

constinit std::atomic<ForkGate*> ForkGate::installed_{nullptr};

void ForkGate::install() noexcept {
  if (installed_.exchange(this) == nullptr)
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

// Each side says what it does before it looks at the other, so one of them sees.
bool ForkGate::enter() noexcept {
  inside_ = 1;
  if (forks_ == 0) return true;
  inside_ = 0;
  return false;
}

void ForkGate::before_fork() {
  ForkGate* gate = installed_;
  gate->forks_ += 1;
  const std::int64_t deadline = recorder::clock_ns(CLOCK_MONOTONIC) + kLongestWait_ns;
  while (gate->inside_ != 0 && !gate->stuck_) {
    if (recorder::clock_ns(CLOCK_MONOTONIC) >= deadline) gate->stuck_ = true;
    usleep(kPause_us);
  }
}

void ForkGate::after_fork() {
  installed_.load()->forks_ -= 1;
}

// The thread is not here, whatever it was doing.
void ForkGate::after_fork_in_child() {
  ForkGate* gate = installed_;
  gate->inside_ = gate->forks_ = 0;
  gate->stuck_ = false;
}

}  // namespace stepscope::nvml
