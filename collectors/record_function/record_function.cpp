// SPDX-License-Identifier: Apache-2.0
#include "collectors/record_function/record_function.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string_view>

#include "collectors/record_function/callbacks.hpp"
#include "collectors/record_function/torch_library.hpp"

namespace stepscope {
namespace {

constinit std::atomic<bool> settled{false};

void register_empty(const TorchLibrary& torch, bool ops) {
  using namespace torch_abi;
  for (const Scope scope : {kBackwardFunction, kUserScope})
    torch.add_global_callback(empty_callback(scope));
  if (ops) torch.add_global_callback(empty_callback(kFunction));
  recorder::fact("record_function", "empty callbacks");
}

void register_all(const TorchLibrary& torch, bool ops) {
  torch.add_global_callback(backward_callback());
  torch.add_global_callback(user_callback());
  if (ops) torch.add_global_callback(function_callback());
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
  set_callback_context({torch.name, torch.is_async, options.call_site});
  options.empty ? register_empty(torch, ops) : register_all(torch, ops);
  return true;
}

}  // namespace stepscope
