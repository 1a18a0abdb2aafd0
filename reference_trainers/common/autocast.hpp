// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/core/Device.h>

namespace stepscope::trainers {

// bfloat16 autocast while it lives; weights that it cast are forgotten at its end, because the next
// step has others. Nothing where it is not wanted.
class Autocast {
 public:
  Autocast(bool wanted, at::Device device);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  const bool on_;
  const c10::DeviceType type_;
};

}  // namespace stepscope::trainers
