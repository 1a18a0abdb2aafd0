// SPDX-License-Identifier: Apache-2.0
#include "kernels/batch_topk/workspace.hpp"

#include <algorithm>

namespace stepscope::kernels {
namespace {

constexpr std::size_t kAlignment = 256;

class Allotment {
 public:
  std::size_t take(std::size_t bytes) {
    const std::size_t at = end_;
    end_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    return at;
  }
  std::size_t end() const { return end_; }

 private:
  std::size_t end_ = 0;
};

// A sampled bracket holds 0.2 % of 50 M keys; a radix bin that holds more than this is split again.
std::int64_t capacity_for(std::int64_t entries) {
  return entries / 64 + 32768;
}

// Some five times what a bin holds of keys that are spread evenly.
std::int64_t slots_for(std::int64_t capacity) {
  const std::int64_t slots = capacity / (std::int64_t{2} * BatchTopkWorkspace::kRadixBins);
  return std::min(slots / 8 * 8, BatchTopkWorkspace::kMostSlots);
}

}  // namespace

BatchTopkWorkspace workspace_of(const BatchTopkArguments& arguments) {
  BatchTopkWorkspace layout;
  Allotment allotment;
  layout.state = allotment.take(BatchTopkWorkspace::kStateBytes);
  layout.candidate_bins = allotment.take(sizeof(std::uint32_t) * BatchTopkWorkspace::kCollections *
                                         BatchTopkWorkspace::kRadixBins);
  layout.radix_histogram = allotment.take(BatchTopkWorkspace::kRadixBins * sizeof(std::uint64_t));
  layout.zeroed_bytes = allotment.end();
  layout.sample_coarse = allotment.take(BatchTopkWorkspace::kRadixBins * sizeof(std::uint32_t));
  layout.sample_fine = allotment.take(BatchTopkWorkspace::kFineBins * sizeof(std::uint32_t));
  layout.sampling_zeroed_bytes = allotment.end();
  if (arguments.column_keys.source == KeySource::z_score) {
    const std::int64_t parts =
        (arguments.rows + BatchTopkWorkspace::kRowsOfPart - 1) / BatchTopkWorkspace::kRowsOfPart;
    layout.statistics =
        allotment.take(static_cast<std::size_t>(parts * arguments.columns) * 2 * sizeof(float));
  }
  layout.candidate_capacity = capacity_for(arguments.rows * arguments.columns);
  layout.candidate_slots = slots_for(layout.candidate_capacity);
  const auto list_bytes =
      static_cast<std::size_t>(layout.candidate_capacity) * sizeof(std::uint64_t);
  layout.candidate_table =
      allotment.take(BatchTopkWorkspace::kRadixBins *
                     static_cast<std::size_t>(layout.candidate_slots) * sizeof(std::uint64_t));
  layout.candidate_list = allotment.take(list_bytes);
  layout.finalists = allotment.take(list_bytes);
  layout.bytes = allotment.end();
  return layout;
}

std::size_t batch_topk_workspace_bytes(const BatchTopkArguments& arguments) {
  return workspace_of(arguments).bytes;
}

}  // namespace stepscope::kernels
