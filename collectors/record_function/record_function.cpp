// SPDX-License-Identifier: Apache-2.0
#include "collectors/record_function/record_function.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string_view>

#include "collectors/record_function/autograd_numbers.hpp"
#include "collectors/record_function/callback_switch.hpp"
#include "collectors/record_function/callbacks.hpp"
#include "collectors/record_function/torch_library.hpp"

namespace stepscope {
namespace {

constinit std::atomic<bool> settled{false};

// The callbacks of ops and backward nodes; those of user scopes are not among them. Leaked, because
// the writer thread uses it until the end.
class Registered {
 public:
  Registered(const TorchLibrary& torch, bool layers) noexcept : torch_(torch) {
    if (torch.disable_callback != nullptr && torch.reenable_callback != nullptr)
      switch_ = new (std::nothrow) CallbackSwitch(torch, layers);
  }
  void switched(const torch_abi::RecordFunctionCallback& callback) noexcept {
    const torch_abi::CallbackHandle handle = torch_.add_global_callback(callback);
    if (switch_ != nullptr) switch_->add(handle);
  }
  void always(const torch_abi::RecordFunctionCallback& callback) noexcept {
    torch_.add_global_callback(callback);
  }
  void follow_the_plan() noexcept {
    if (switch_ == nullptr || !recorder::has_plan()) return;
    if (!recorder::is_capturing()) (void)switch_->set_capturing(false);
    (void)recorder::add_row_source(switch_);
  }

 private:
  const TorchLibrary& torch_;
  CallbackSwitch* switch_ = nullptr;
};

void register_empty(Registered& callbacks, bool ops) {
  using namespace torch_abi;
  callbacks.switched(empty_callback(kBackwardFunction));
  callbacks.always(empty_callback(kUserScope));
  if (ops) callbacks.switched(empty_callback(kFunction));
  recorder::fact("record_function", "empty callbacks");
}

void register_all(Registered& callbacks, bool ops) {
  callbacks.switched(backward_callback());
  callbacks.always(user_callback());
  if (ops) callbacks.switched(function_callback());
  recorder::collecting(recorder::Collector::user_scopes);
  if (ops) recorder::collecting(recorder::Collector::framework_ops);
  recorder::fact("record_function",
                 ops ? "ops, backward nodes, user scopes" : "backward nodes, user scopes");
}

}  // namespace

bool process_has_gpu() noexcept {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const std::string_view devices = visible == nullptr ? "all" : visible;
  if (devices.empty() || devices == "-1" || devices == "NoDevFiles") return false;
  return access("/dev/nvidiactl", F_OK) == 0 || access("/dev/nvidia0", F_OK) == 0 ||
         access("/dev/dxg", F_OK) == 0;
}

bool enable_record_function(const RecordFunctionOptions& options) noexcept {
  if (settled.load(std::memory_order_acquire)) return true;
  const TorchLibrary torch = find_torch_library();
  if (!torch.mapped) return false;
  if (settled.exchange(true)) return true;
  recorder::fact("torch", torch.version[0] != '\0' ? torch.version.data() : "unknown version");
  if (!torch.usable) {
    recorder::note(torch.why_not);
    return true;
  }
  const bool ops = options.ops || !process_has_gpu();
  set_callback_context({torch.name, torch.is_async, options.call_site, options.python_frame});
  if (!find_autograd_numbers(torch))
    recorder::note(
        "this PyTorch does not tell backward work's forward: it has no lines of its own");
  Registered callbacks(torch, options.layers);
  options.empty ? register_empty(callbacks, ops) : register_all(callbacks, ops);
  callbacks.follow_the_plan();
  return true;
}

}  // namespace stepscope
