// SPDX-License-Identifier: Apache-2.0
// Keeps a thread of ours out of a library while the program forks, so that no lock of the library's
// is held for ever in the child. A fork waits for the thread to come out, but not for ever: the
// library may hang, and the program must not.
#pragma once

#include <atomic>
#include <cstdint>

namespace stepscope::nvml {

class ForkGate {
 public:
  // Installs the gate before the thread starts. Forks wait for the gate that was installed last.
  void install() noexcept;
  // Called by the thread around its work in the library. False: a fork is under way; try again
  // soon.
  bool enter() noexcept;
  void leave() noexcept {
    inside_ = 0;
    stuck_ = false;
  }

 private:
  static void before_fork();
  static void after_fork();
  static void after_fork_in_child();

  static std::atomic<ForkGate*> installed_;
  std::atomic<std::uint32_t> inside_{0};
  std::atomic<bool> stuck_{false};       // a fork has waited in vain: the next ones do not
  std::atomic<std::uint32_t> forks_{0};  // forks that wait, or are under way
};

}  // namespace stepscope::nvml
