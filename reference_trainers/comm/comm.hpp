// SPDX-License-Identifier: Apache-2.0
// The communication of the ranks of one training run. All ranks make the same calls in the same
// order, with tensors of the same type and size: contiguous, on the device that the group was made
// for. Calls on a GPU are enqueued on its default stream and do not wait.
//
// A rank that fails ends its group: each other rank's next or waiting call throws a RankFailure
// that names it. After that a group can only be destroyed.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <stdexcept>
#include <string>

namespace stepscope::trainers {

enum class Reduction { sum, min, max };

class RankFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Comm {
 public:
  Comm() = default;
  virtual ~Comm() = default;
  Comm(const Comm&) = delete;
  Comm& operator=(const Comm&) = delete;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  // Reduces in place; the same bits on every rank.
  virtual void all_reduce(const at::Tensor& tensor, Reduction reduction) = 0;
  // [size, ...own's sizes], in the ranks' order.
  virtual at::Tensor all_gather(const at::Tensor& own) = 0;
  // `all` is [size, ...own's sizes]: own becomes the sum of every rank's row of this rank's number.
  virtual void reduce_scatter(const at::Tensor& own, const at::Tensor& all) = 0;
  // The same beside what the caller's device (on a CPU: the caller) does from here on, which must
  // leave the tensors alone until end_begun(): behind that all that were begun are done.
  virtual void begin_all_reduce(const at::Tensor& tensor, Reduction reduction) {
    all_reduce(tensor, reduction);
  }
  virtual at::Tensor begin_all_gather(const at::Tensor& own) { return all_gather(own); }
  virtual void begin_reduce_scatter(const at::Tensor& own, const at::Tensor& all) {
    reduce_scatter(own, all);
  }
  virtual void end_begun() {}
  // Does work in order with what is begun, where that is done: on the thread that sends, or enqueued
  // on the stream. Behind end_begun() it is done.
  virtual void begin_beside(std::function<void()> work) { work(); }
  // Replaces the tensor by root's, in place.
  virtual void broadcast(const at::Tensor& tensor, int root) = 0;
  // Returns when every rank has called it and what was enqueued before is done.
  virtual void barrier() = 0;
  // Ends the group with this rank's reason, which the others then throw.
  virtual void abort(const std::string& reason) = 0;
};

// A run of one rank: nothing is exchanged.
class SingleComm final : public Comm {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void all_reduce(const at::Tensor&, Reduction) override {}
  at::Tensor all_gather(const at::Tensor& own) override { return own.unsqueeze(0); }
  void reduce_scatter(const at::Tensor& own, const at::Tensor& all) override {
    own.copy_(all.select(0, 0));
  }
  void broadcast(const at::Tensor&, int) override {}
  void barrier() override {}
  void abort(const std::string&) override {}
};

}  // namespace stepscope::trainers
