// SPDX-License-Identifier: Apache-2.0
// A training loop in miniature: a host that issues work and a device that runs it in stream order.
// Times in nanoseconds; the host's clock is `now`. Thread 1 is the loop's thread.
#pragma once

#include <algorithm>
#include <map>
#include <string>

#include "tests/core/model/trace_maker.hpp"

namespace stepscope {

class LoopMaker {
 public:
  static constexpr std::int64_t kStart = 1'000'000;
  static constexpr std::int64_t kCall = 1'000;

  // A kernel launch of kCall on the host and `ns` on the device; returns its end there.
  std::int64_t kernel(const std::string& name, std::int64_t ns, std::uint32_t stream = 7,
                      std::int64_t tid = 1) {
    make.call("cudaLaunchKernel", tid, now, now + kCall, ++correlation);
    now += kCall;
    const std::int64_t begin = std::max(now, device[stream]);
    make.kernel(name, stream, begin, begin + ns, correlation);
    return device[stream] = begin + ns;
  }

  std::int64_t copy(CopyKind kind, std::int64_t ns, std::uint32_t stream = 7,
                    std::int64_t tid = 1) {
    make.call("cudaMemcpyAsync", tid, now, now + kCall, ++correlation);
    now += kCall;
    const std::int64_t begin = std::max(now, device[stream]);
    make.copy(kind, MemoryKind::pinned, MemoryKind::device, stream, begin, begin + ns, correlation);
    return device[stream] = begin + ns;
  }

  void op(const std::string& name, std::int64_t ns = 1'000, std::int64_t tid = 1) {
    make.range(HostKind::op, name, tid, now, now + ns);
    now += ns;
  }

  void backward(const std::string& name, std::int64_t ns = 1'000, std::int64_t tid = 1) {
    op("autograd::engine::evaluate_function: " + name, ns, tid);
  }

  void wait() {
    std::int64_t end = now + kCall;
    for (const auto& [stream, free] : device) end = std::max(end, free);
    make.call("cudaDeviceSynchronize", 1, now, end);
    now = end;
  }

  // A range around what `body` does.
  template <class Body>
  void range(const std::string& name, Body body, HostKind kind = HostKind::user_scope) {
    const std::int64_t begin = now;
    body();
    make.range(kind, name, 1, begin, now);
  }

  void optimizer(const std::string& name = "Adam", int ops = 2) {
    range("Optimizer.step#" + name + ".step", [&] {
      for (int i = 0; i < ops; ++i) op("aten::_foreach_addcdiv_");
    });
  }

  void zero_grad(const std::string& name = "Adam") {
    range("Optimizer.zero_grad#" + name + ".zero_grad", [&] { now += 500; });
  }

  // Forward and backward of a small net on the host.
  void train_ops(const std::string& net = "net", int layers = 3) {
    for (int i = 0; i < layers; ++i) op("aten::linear_" + net), op("aten::relu_" + net);
    op("aten::loss_" + net);
    for (int i = 0; i < layers; ++i) backward("Relu_" + net), backward("Linear_" + net);
  }

  void eval_ops(int batches = 3) {
    for (int b = 0; b < batches; ++b) {
      for (int i = 0; i < 3; ++i) op("aten::linear_net"), op("aten::relu_net");
      op("aten::accuracy");
    }
  }

  Trace build() { return make.build(); }

  TraceMaker make;
  std::int64_t now = kStart;
  std::map<std::uint32_t, std::int64_t> device;
  std::uint32_t correlation = 0;
};

}  // namespace stepscope
