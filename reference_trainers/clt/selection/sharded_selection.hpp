// SPDX-License-Identifier: Apache-2.0
// BatchTopK over all ranks' preactivations at once, exactly: each rank's mask is its part of the
// one that a single rank would make of the same preactivations (kernels/shard_topk: shard_sweep for
// ranks that share features, on a GPU; else, and where that does not decide, shard_cut, and then
// the rounds of shard_topk). No preactivation is exchanged but those near the cut, as keys.
//
// Keys are z-scores of columns over the whole batch, NaN counts as greatest, as at::topk has it,
// and equal keys go by (layer, feature, token). Where ranks share features a column's mean and
// scale are its rank's own, and so the same bits for any number of ranks; where they share rows
// they are sums over ranks in double precision.
#pragma once

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>

#include "reference_trainers/clt/config.hpp"
#include "reference_trainers/comm/comm.hpp"

namespace stepscope::clt {

struct Spread {
  Parallel by = Parallel::features;
  std::int64_t layers = 1;  // whose columns lie side by side in each rank's preactivations
  std::int64_t rows = 0;    // rows of the whole batch
  std::int64_t count = 0;   // selected entries of the whole batch
};

class ShardedSelection {
 public:
  virtual ~ShardedSelection() = default;
  ShardedSelection(const ShardedSelection&) = delete;
  ShardedSelection& operator=(const ShardedSelection&) = delete;

  // Boolean, of the rank's preactivations: fp32 [rows, columns], contiguous.
  virtual at::Tensor mask(const at::Tensor& preactivations) = 0;

 protected:
  ShardedSelection(trainers::Comm& comm, const Spread& spread) : comm_(comm), spread_(spread) {}

  std::int64_t groups_of(const at::Tensor& preactivations) const;
  // Statistics of ranks that share rows: float [columns] each.
  struct Statistics {
    at::Tensor mean, scale;
  };
  Statistics summed_statistics(const at::Tensor& preactivations) const;

  trainers::Comm& comm_;
  const Spread spread_;
};

// Makes a selection in host memory.
std::unique_ptr<ShardedSelection> make_host_selection(trainers::Comm& comm, const Spread& spread);

// A selection by kernels/.
class KernelSelection : public ShardedSelection {
 public:
  struct Bits {
    at::Tensor words;        // int32 (kernels/common/bitmask.hpp)
    std::int64_t count = 0;  // number of set bits
  };
  // Returns the most entries that can be selected from these preactivations.
  std::int64_t most(const at::Tensor& preactivations) const {
    return std::min(spread_.count, preactivations.numel());
  }
  // Enqueues a selection, and `meanwhile` beside its first exchange. Its words are the answer if
  // end() returns the same tensor, as it nearly always does.
  virtual at::Tensor begin(const at::Tensor& preactivations,
                           const std::function<void()>& meanwhile) = 0;
  // Ends the selection of the same preactivations. The count is read back: this waits for what
  // begin() enqueued, not for later work.
  virtual Bits end(const at::Tensor& preactivations) = 0;

 protected:
  using ShardedSelection::ShardedSelection;
};

// Null where this build has no CUDA kernels.
std::unique_ptr<KernelSelection> make_kernel_selection(trainers::Comm& comm, const Spread& spread);

Spread spread_of(const Config& config);

// Makes the selection of a training run on that device. Null where a rank is alone: then batch_topk
// selects.
std::unique_ptr<ShardedSelection> make_selection(const Config& config, trainers::Comm& comm,
                                                 at::Device device);

}  // namespace stepscope::clt
