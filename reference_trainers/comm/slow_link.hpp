// SPDX-License-Identifier: Apache-2.0
// A group in which one rank's link is slow on purpose, so that a report can be compared with what is
// known. Every rank cuts large sums into chunks; before each chunk the slow rank's data is held up:
//
//   on a CPU  by a pause, as on a link of little bandwidth
//   on a GPU  by way of the host's memory and back, as where two cards cannot reach each other
//
// Both happen where the data is sent from (a thread, a stream), not where the program computes.
// The time is a share of `ms` a step: that of the call's bytes in the bytes of the step before.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <memory>

#include "reference_trainers/comm/comm.hpp"

namespace stepscope::trainers {

class SlowLink final : public Comm {
 public:
  // `ms`: how much longer the calls of a step take on this rank; 0: this rank's link is as it was.
  SlowLink(std::unique_ptr<Comm> group, at::Device device, double ms);

  // Called at the begin of each step: what was sent since the last call is a step's amount.
  void begin_step();

  int rank() const override { return group_->rank(); }
  int size() const override { return group_->size(); }
  void all_reduce(const at::Tensor& tensor, Reduction reduction) override;
  void begin_all_reduce(const at::Tensor& tensor, Reduction reduction) override;
  at::Tensor all_gather(const at::Tensor& own) override;
  at::Tensor begin_all_gather(const at::Tensor& own) override;
  void reduce_scatter(const at::Tensor& own, const at::Tensor& all) override;
  void begin_reduce_scatter(const at::Tensor& own, const at::Tensor& all) override;
  void end_begun() override { group_->end_begun(); }
  void begin_beside(std::function<void()> work) override { group_->begin_beside(std::move(work)); }
  void broadcast(const at::Tensor& tensor, int root) override { group_->broadcast(tensor, root); }
  void barrier() override { group_->barrier(); }
  void abort(const std::string& reason) override { group_->abort(reason); }

 private:
  void hold_up(const at::Tensor& data);
  void send_round(const at::Tensor& data, double ms);

  std::unique_ptr<Comm> group_;
  const at::Device device_;
  const double ms_;
  double round_bytes_a_ms_ = 0;  // copied to the host and back; on a GPU only
  at::Tensor host_;              // where they go
  double bytes_in_step_ = 0, bytes_a_step_ = 0;
};

}  // namespace stepscope::trainers
