// SPDX-License-Identifier: Apache-2.0
// A step recorded once as a CUDA graph and then launched whole. What it reads and writes keeps its
// place in memory; what changes from step to step (batches, learning rate) is copied there before.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Stream.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <functional>
#include <memory>
#include <optional>

namespace stepscope::trainers {

class StepGraph {
 public:
  StepGraph() = default;
  virtual ~StepGraph() = default;
  StepGraph(const StepGraph&) = delete;
  StepGraph& operator=(const StepGraph&) = delete;

  // Records what `step` enqueues on the current stream, which must not be the default one; nothing
  // runs. Memory that it allocates belongs to the graph from then on.
  virtual void record(const std::function<void()>& step) = 0;
  virtual void launch() = 0;
};

// Throws, and says how to build it, in a build without CUDA.
std::unique_ptr<StepGraph> make_step_graph();

// While it lives, a stream of its own is the thread's current one on a GPU: a graph cannot be
// recorded on the default stream, and autograd's work for a weight stays on the stream where the
// weight was first used. Nothing where it is not wanted.
class OwnStream {
 public:
  OwnStream(bool wanted, c10::Device device) {
    if (!wanted || !device.is_cuda()) return;
    guard_.emplace(device.type());
    before_ = guard_->exchangeStream(guard_->getStreamFromGlobalPool(device));
  }
  ~OwnStream() {
    if (before_) guard_->exchangeStream(*before_);
  }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;

 private:
  std::optional<c10::impl::VirtualGuardImpl> guard_;
  std::optional<c10::Stream> before_;
};

}  // namespace stepscope::trainers
