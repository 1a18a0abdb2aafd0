// SPDX-License-Identifier: Apache-2.0
// What the extra work of long steps was called from: the function, among those with lines that most
// steps do not run, whose calls span most of these steps. An evaluation shares its model's lines
// with training; the lines of its own, around them, decide.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/trace.hpp"
#include "core/steps/steps.hpp"

namespace stepscope {

// "Trainer.validate (fit.py:95)", with the first of its lines; empty where no such function spans a
// quarter of `excess_ns`, the time that these steps (rows of steps.list) took beyond others.
std::string caller_of_extra_work(const Trace& trace, const Steps& steps,
                                 const std::vector<std::size_t>& places, std::int64_t excess_ns);

}  // namespace stepscope
