// SPDX-License-Identifier: Apache-2.0
#include "cli/programs/interruption.hpp"

#include <atomic>
#include <cerrno>

namespace stepscope {
namespace {

constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};

// The handler may run in any thread: it writes the first and then reads the second, and PassedOn
// the other way round, so that one of them sees the other.
std::atomic<bool> interruption_came{false};
std::atomic<pid_t> told_child{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<pid_t>::is_always_lock_free);

void note_interruption(int) {
  interruption_came.store(true);
  const int error = errno;
  const pid_t child = told_child.load();
  if (child > 0) kill(child, SIGTERM);  // a terminal signals both, kill(1) this one alone
  errno = error;
}

}  // namespace

Interruption::Interruption() {
  interruption_came.store(false);
  struct sigaction once {};
  once.sa_handler = note_interruption;
  once.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&once.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    if (kSignals[i] == SIGHUP && before_[i].sa_handler == SIG_IGN) continue;
    sigaction(kSignals[i], &once, nullptr);
  }
}

Interruption::~Interruption() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

bool Interruption::came() {
  return interruption_came.load();
}

Interruption::PassedOn::PassedOn(pid_t child) {
  told_child.store(child);
  if (came()) kill(child, SIGTERM);
}

Interruption::PassedOn::~PassedOn() {
  told_child.store(0);
}

}  // namespace stepscope
