// SPDX-License-Identifier: Apache-2.0
// Was a signal sent to the whole process group, or to this process alone? The kernel does not say,
// but a signal to the group has reached the command already and must not be passed on again.
//
// A second process of the group, with every signal blocked and no file open but a socket, is asked
// whether the signal is pending there, too. The kernel signals the newest member of a group first,
// so it is there before this process hears of it.
#pragma once

#include <sys/types.h>

namespace stepscope::launcher {

class GroupWatch {
 public:
  GroupWatch() noexcept;  // before the command is started
  GroupWatch(const GroupWatch&) = delete;
  ~GroupWatch();

  // Whether the process group got the signal, too; called once for each signal that this process
  // was sent. False where the watch could not be started.
  bool group_got(int signal_number) noexcept;

 private:
  pid_t watcher_ = -1;
  int socket_ = -1;
};

}  // namespace stepscope::launcher
