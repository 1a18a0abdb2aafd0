// SPDX-License-Identifier: Apache-2.0
// pageable_copy: data goes to the device from ordinary (pageable) memory. The driver stages it
// through a buffer of its own at a fraction of the bus's rate, and the host waits meanwhile.
//
//   fires where   exposed + idle >= least: a small copy that the host waits for costs its lead
//   exposed       time that copy.h2d.pageable owns: the device copies and does nothing else
//   idle          the device's idle time behind the copies that a host would have hidden that had
//                 not waited in them (run_ahead.hpp)
//   Copies that tiny_h2d counts are not in it.
#pragma once

#include "core/findings/price.hpp"

namespace stepscope::rules {

void judge_pageable_copy(JudgedRun& run, Findings& out);

}  // namespace stepscope::rules
