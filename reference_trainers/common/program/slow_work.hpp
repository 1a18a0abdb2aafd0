// SPDX-License-Identifier: Apache-2.0
// Makes one rank of a job slow on purpose, so that what a report says of the job can be compared with
// what is known. Each step of that rank costs about so many milliseconds more:
//
//   data     its batch is dearer: numbers are sorted on the host, in the phase "data"
//   compute  its forward pass is: matrix products on its device, in the phase "forward"
//   link     its transfers are: see comm/slow_link.hpp
//
// The first two are a fixed amount of work, chosen at the start by the time that it takes.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>

#include "reference_trainers/comm/slow_link.hpp"
#include "reference_trainers/common/slow_rank.hpp"

namespace stepscope::trainers {

// Holds what is planted on this rank; on all others it does nothing.
class SlowWork {
 public:
  SlowWork() = default;
  SlowWork(const SlowRank& slow, int rank, at::Device device);

  // All ranks take part where the link is slow.
  std::unique_ptr<Comm> on_link_of(std::unique_ptr<Comm> group);
  // Called in each step, before the training's own work.
  void in_step() const;

 private:
  void sort_batch() const;
  void multiply() const;

  SlowRank slow_;
  bool is_here_ = false;
  at::Device device_{at::kCPU};
  at::Tensor numbers_;
  int times_ = 0;
  SlowLink* link_ = nullptr;
};

}  // namespace stepscope::trainers
