// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/autocast.hpp"

#include <ATen/autocast_mode.h>

namespace stepscope::trainers {

Autocast::Autocast(bool wanted, at::Device device) : on_(wanted), type_(device.type()) {
  if (!on_) return;
  at::autocast::increment_nesting();
  at::autocast::set_autocast_dtype(type_, at::kBFloat16);
  at::autocast::set_autocast_enabled(type_, true);
}

Autocast::~Autocast() {
  if (!on_) return;
  at::autocast::set_autocast_enabled(type_, false);
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
}

}  // namespace stepscope::trainers
