// SPDX-License-Identifier: Apache-2.0
// A few numbers of a device for the host, which goes on meanwhile and then waits for these alone,
// not for what was enqueued behind them. One copy at a time.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>

#include <optional>

namespace stepscope::trainers {

class ReadBack {
 public:
  // Begins behind the work of the device's current stream.
  void begin(const at::Tensor& numbers);
  // The numbers of the last begin(), on the CPU, until the next one.
  const at::Tensor& end();

 private:
  at::Tensor host_;
  std::optional<c10::Event> done_;  // only on a GPU
};

}  // namespace stepscope::trainers
