// SPDX-License-Identifier: Apache-2.0
// A group of processes on CPUs: rank 0 gathers over its links, reduces in the ranks' order, and
// answers, so that sums are the same bits on every rank and in every run. All calls are made in that
// order by a thread of its own, each under a range, as LibTorch's own groups do it. LibTorch's Gloo cannot be used from C++: its wheel has no Gloo
// headers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "reference_trainers/comm/call_queue.hpp"
#include "reference_trainers/comm/comm.hpp"
#include "reference_trainers/comm/links.hpp"

namespace stepscope::trainers {

class SocketComm final : public Comm {
 public:
  SocketComm(std::unique_ptr<Links> links, int size) : links_(std::move(links)), size_(size) {}

  int rank() const override { return links_->rank(); }
  int size() const override { return size_; }
  void all_reduce(const at::Tensor& tensor, Reduction reduction) override;
  at::Tensor all_gather(const at::Tensor& own) override;
  void reduce_scatter(const at::Tensor& own, const at::Tensor& all) override;
  void begin_all_reduce(const at::Tensor& tensor, Reduction reduction) override;
  void begin_reduce_scatter(const at::Tensor& own, const at::Tensor& all) override;
  void end_begun() override;
  void begin_beside(std::function<void()> work) override { begun_.begin(std::move(work)); }
  void broadcast(const at::Tensor& tensor, int root) override;
  void barrier() override;
  void abort(const std::string& reason) override { links_->fail(reason); }

 private:
  Call next(Call::Kind kind) { return {kind, ++calls_}; }
  // Puts the call into the queue, under a range of that name; make() waits for it, too.
  void begin(const char* name, std::function<void()> call);
  void make(const char* name, std::function<void()> call);
  void gather(const at::Tensor& own, const at::Tensor& all);
  void send_from(int root, const at::Tensor& tensor);
  void meet_all();
  void reduce_all(const at::Tensor& tensor, Reduction reduction);
  void scatter_sums(const at::Tensor& own, const at::Tensor& all);
  void send(int to, const Call& call, const at::Tensor& tensor);
  void receive(int from, const Call& call, const at::Tensor& tensor);
  void answer_all(const Call& call, const at::Tensor& tensor);

  std::unique_ptr<Links> links_;
  int size_;
  std::uint32_t calls_ = 0;
  CallQueue begun_;  // the last: its thread uses the others
};

}  // namespace stepscope::trainers
