// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/comm/buckets.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>

namespace stepscope::trainers {
namespace {

void sum_bucket(Comm& comm, const std::vector<at::Tensor>& bucket) {
  std::vector<at::Tensor> flat;
  for (const at::Tensor& tensor : bucket) flat.push_back(tensor.reshape({-1}));
  const at::Tensor all = at::cat(flat);
  comm.all_reduce(all, Reduction::sum);
  std::int64_t begin = 0;
  for (const at::Tensor& tensor : bucket) {
    tensor.copy_(all.slice(0, begin, begin + tensor.numel()).view(tensor.sizes()));
    begin += tensor.numel();
  }
}

}  // namespace

void sum_in_buckets(Comm& comm, const std::vector<at::Tensor>& tensors, std::int64_t bucket_bytes) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> bucket;
  std::int64_t bytes = 0;
  for (const at::Tensor& tensor : tensors) {
    const auto own = static_cast<std::int64_t>(tensor.nbytes());
    if (!bucket.empty() && bytes + own > bucket_bytes) {
      sum_bucket(comm, bucket);
      bucket.clear();
      bytes = 0;
    }
    bucket.push_back(tensor);
    bytes += own;
  }
  if (!bucket.empty()) sum_bucket(comm, bucket);
}

}  // namespace stepscope::trainers
