// SPDX-License-Identifier: Apache-2.0
// Work behind the run that must not harm it: in a process of its own, at low priority, for so long
// at most. Whatever becomes of it, this process goes on, also where the work crashes or takes all
// memory. A signal that asks us to end stops the work alone.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "core/support/result.hpp"

namespace stepscope::launcher {

// Returns why it was not done; empty where it was. No other thread may run.
std::string do_bounded(const std::function<Status()>& work, std::chrono::milliseconds longest);

}  // namespace stepscope::launcher
