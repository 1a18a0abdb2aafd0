// SPDX-License-Identifier: Apache-2.0
// What sets the optimised training apart from the reference's, each a switch of its own, so that a
// profiler's forecast for one can be held against what it brings. Every combination computes the
// same losses from the same seed, up to rounding; moments_8bit rounds to 3 bits of mantissa, by
// chance and without bias, which changes a loss by some tenths of a per cent.
//
// The parts that run on kernels/ (select_kernel, sparse_decoder, sparse_adam, sparse_encoder) take
// lists of active features and so make no sense without sparse_step, which by itself does all of
// its products densely in ATen: what such a part brings is the difference to sparse_step alone.
// Switching one on switches sparse_step on, and switching sparse_step off switches them off. Where
// there is no GPU they change nothing; sparse_encoder alone takes its list there too. moments_8bit
// holds moments as codes on every device, and updates them by kernels/coded_adam or its reference.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.hpp"
#include "reference_trainers/common/switches.hpp"

namespace stepscope::clt {

struct Fixes {
  bool cached_encode = false;
  bool device_data = false;
  bool late_readback = false;
  bool device_metrics = false;
  bool fused_adam = false;
  bool sparse_step = false;
  bool select_kernel = false;
  bool sparse_decoder = false;
  bool sparse_adam = false;
  bool sparse_encoder = false;
  bool moments_8bit = false;
};

using Fix = trainers::Switch<Fixes>;

// Returns the ladder, which begins with the baseline.
const trainers::Switches<Fixes>& all_switches();

// Returns the fixes in that order, without the baseline.
std::span<const Fix> all_fixes();

Fixes every_fix();

// Switches the named ones, as trainers::Switches::turn does.
Status switch_fixes(Fixes& fixes, const std::vector<std::string>& names, bool on);

// Whether a part runs on kernels/ where there is a GPU.
bool uses_kernels(const Fixes& fixes);

// Names of those that are on, in the order of the ladder.
std::vector<std::string> names_of(const Fixes& fixes);

}  // namespace stepscope::clt
