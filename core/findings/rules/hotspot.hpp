// SPDX-License-Identifier: Apache-2.0
// hotspot: one class of device work other than matrix products takes much of its phase.
//
//   fires where   class in {select, reduce, elementwise, other}; time(class, phase) >= 20 % of the
//                 phase's wall time, and >= 3 % of the step (and >= least)
//                 Without a device the classes of the operations on the CPU: host.compute.*
//   ceiling       reduce and elementwise kernels that stand in chains, with no other kernel
//                 between: all but the longest of each chain, where that is 30 % of the chains at
//                 least. Else half of it: what a better algorithm may give is an assumption (a
//                 tenth to all but a tenth), and is measured by trying
//   CUDA graphs that are one op each are no hotspot: what runs inside is not known.
//   What loop_invariant and unfused_attention explain is theirs, and the optimizer's phase is
//   unfused_optimizer's. At most the three largest are reported.
#pragma once

#include "core/findings/price.hpp"

namespace stepscope::rules {

void judge_hotspot(JudgedRun& run, Findings& out);

}  // namespace stepscope::rules
