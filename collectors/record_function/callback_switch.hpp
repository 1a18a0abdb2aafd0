// SPDX-License-Identifier: Apache-2.0
// Takes our callbacks for ops and backward nodes away from PyTorch while nothing is recorded: with
// any callback of a scope registered, PyTorch goes its slow way in that scope (some 200 ns an op),
// also where the callback answers at once. User scopes stay, for they are the step marks.
//
// An op that began before the switch still ends as it began: PyTorch keeps with it which callbacks
// it had called.
#pragma once

#include <array>
#include <cstdint>

#include "collectors/record_function/torch_library.hpp"
#include "collectors/recorder/draining/row_source.hpp"

namespace stepscope {

class CallbackSwitch final : public recorder::RowSource {
 public:
  // `layers`: of windows that record layers in turn, the whole alone has callbacks.
  CallbackSwitch(const TorchLibrary& torch, bool layers) noexcept
      : disable_(torch.disable_callback), reenable_(torch.reenable_callback), layers_(layers) {}

  // Adds a callback before the switch is a source; at most two.
  void add(torch_abi::CallbackHandle handle) noexcept { handles_[count_++] = handle; }

  double set_capturing(bool on) noexcept override;
  bool is_on() const noexcept override { return on_; }
  bool outlives_fork() const noexcept override { return true; }  // as PyTorch's callbacks do

  bool due(std::int64_t /*now_ns*/) noexcept override { return false; }
  bool collect(EventBatch& /*batch*/, StoreWriter& /*store*/, bool /*last*/) noexcept override {
    return false;
  }
  Totals totals() const noexcept override { return {}; }

 private:
  torch_abi::SwitchCallback disable_, reenable_;
  std::array<torch_abi::CallbackHandle, 2> handles_{};
  std::size_t count_ = 0;
  bool layers_;
  bool on_ = true;
  int turn_ = 0;  // as the device's source counts them
};

}  // namespace stepscope
