// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/comm/socket_comm.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/zeros.h>
#include <ATen/record_function.h>

#include <stdexcept>
#include <utility>
#include <vector>

namespace stepscope::trainers {
namespace {

void must_be_plain(const at::Tensor& tensor) {
  if (!tensor.is_cpu() || !tensor.is_contiguous())
    throw std::invalid_argument("SocketComm: a tensor is not contiguous, or not on the CPU");
}

void reduce(at::Tensor& into, const at::Tensor& other, Reduction reduction) {
  switch (reduction) {
    case Reduction::sum:
      into.add_(other);
      break;
    case Reduction::min:
      at::minimum_out(into, into, other);
      break;
    case Reduction::max:
      at::maximum_out(into, into, other);
      break;
  }
}

}  // namespace

void SocketComm::send(int to, const Call& call, const at::Tensor& tensor) {
  must_be_plain(tensor);
  links_->send(to, call, tensor.const_data_ptr(), tensor.nbytes());
}

void SocketComm::receive(int from, const Call& call, const at::Tensor& tensor) {
  must_be_plain(tensor);
  links_->receive(from, call, tensor.mutable_data_ptr(), tensor.nbytes());
}

void SocketComm::answer_all(const Call& call, const at::Tensor& tensor) {
  for (const int peer : links_->peers()) send(peer, call, tensor);
}

// The range is named as process groups name theirs, so that a profiler finds the call on its thread.
void SocketComm::begin(const char* name, std::function<void()> call) {
  begun_.begin([name, call = std::move(call)] {
    at::RecordFunction range(at::RecordScope::USER_SCOPE);
    range.before(name);
    call();
  });
}

// An op of LibTorch's name for it, so that a profiler knows the line that waits.
void SocketComm::end_begun() {
  at::RecordFunction range(at::RecordScope::FUNCTION);
  range.before("c10d::wait");
  begun_.finish();
}

void SocketComm::make(const char* name, std::function<void()> call) {
  begin(name, std::move(call));
  end_begun();
}

void SocketComm::all_reduce(const at::Tensor& tensor, Reduction reduction) {
  begin_all_reduce(tensor, reduction);
  end_begun();
}

void SocketComm::begin_all_reduce(const at::Tensor& tensor, Reduction reduction) {
  if (size_ > 1) begin("sockets:all_reduce", [=, this] { reduce_all(tensor, reduction); });
}

void SocketComm::reduce_scatter(const at::Tensor& own, const at::Tensor& all) {
  begin_reduce_scatter(own, all);
  end_begun();
}

void SocketComm::begin_reduce_scatter(const at::Tensor& own, const at::Tensor& all) {
  begin("sockets:reduce_scatter", [=, this] { scatter_sums(own, all); });
}

void SocketComm::scatter_sums(const at::Tensor& own, const at::Tensor& all) {
  const at::NoGradGuard no_grad;
  if (all.numel() != size_ * own.numel())
    throw std::invalid_argument("SocketComm: not a row for each rank");
  const Call call = next(Call::Kind::reduce_scatter);
  if (rank() != 0) {
    send(0, call, all);
    return receive(0, call, own);
  }
  at::Tensor sum = all.detach();
  const at::Tensor other = at::empty_like(sum);
  for (const int peer : links_->peers()) {
    receive(peer, call, other);
    reduce(sum, other, Reduction::sum);
  }
  const at::Tensor rows = sum.view({size_, own.numel()});
  for (const int peer : links_->peers()) send(peer, call, rows.select(0, peer));
  own.view({-1}).copy_(rows.select(0, 0));
}

void SocketComm::reduce_all(const at::Tensor& tensor, Reduction reduction) {
  const at::NoGradGuard no_grad;
  const Call call = next(Call::Kind::all_reduce);
  if (rank() != 0) {
    send(0, call, tensor);
    return receive(0, call, tensor);
  }
  at::Tensor sum = tensor.detach();
  const at::Tensor other = at::empty_like(sum);
  for (const int peer : links_->peers()) {
    receive(peer, call, other);
    reduce(sum, other, reduction);
  }
  answer_all(call, sum);
}

at::Tensor SocketComm::all_gather(const at::Tensor& own) {
  std::vector<std::int64_t> sizes(own.sizes().begin(), own.sizes().end());
  sizes.insert(sizes.begin(), size_);
  const at::Tensor all = at::empty(sizes, own.options().requires_grad(false));
  make("sockets:all_gather", [=, this] { gather(own, all); });
  return all;
}

void SocketComm::gather(const at::Tensor& own, const at::Tensor& all) {
  const at::NoGradGuard no_grad;
  const Call call = next(Call::Kind::all_gather);
  if (rank() != 0) {
    send(0, call, own);
    return receive(0, call, all);
  }
  all.select(0, 0).copy_(own);
  for (const int peer : links_->peers()) receive(peer, call, all.select(0, peer));
  answer_all(call, all);
}

void SocketComm::broadcast(const at::Tensor& tensor, int root) {
  make("sockets:broadcast", [=, this] { send_from(root, tensor); });
}

void SocketComm::send_from(int root, const at::Tensor& tensor) {
  const at::NoGradGuard no_grad;
  const Call call = next(Call::Kind::broadcast);
  if (rank() == root && root != 0) return send(0, call, tensor);
  if (rank() != 0) return receive(0, call, tensor);
  if (root != 0) receive(root, call, tensor);
  for (const int peer : links_->peers())
    if (peer != root) send(peer, call, tensor);
}

void SocketComm::barrier() {
  make("sockets:barrier", [this] { meet_all(); });
}

void SocketComm::meet_all() {
  const Call call = next(Call::Kind::barrier);
  const at::Tensor nothing = at::empty({0}, at::TensorOptions(at::kByte));
  for (const int peer : links_->peers()) {
    if (rank() != 0) send(peer, call, nothing);
    receive(peer, call, nothing);
  }
  if (rank() == 0) answer_all(call, nothing);
}

}  // namespace stepscope::trainers
