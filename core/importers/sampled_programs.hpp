// SPDX-License-Identifier: Apache-2.0
// Processes of which samples are all there is: programs in Python that call nothing that is hooked
// (NumPy, scikit-learn, JAX on a CPU). What divides a run into steps and owners works on ranges, so
// such a process gets one: its main thread's program, from the first sample to its last clock.
#pragma once

#include "core/model/trace.hpp"

namespace stepscope {

// Adds the range of each such process, and one note that says what is missing.
void add_sampled_programs(TraceData& data);

}  // namespace stepscope
