// SPDX-License-Identifier: Apache-2.0
#include "kernels/batch_topk/workspace.hpp"

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

}  // namespace

BatchTopkWorkspace workspace_of(const BatchTopkArguments& arguments) {
  BatchTopkWorkspace layout;
  Allotment allotment;
  layout.state = allotment.take(BatchTopkWorkspace::kStateBytes);
  layout.sample_coarse = allotment.take(BatchTopkWorkspace::kRadixBins * sizeof(std::uint32_t));
  layout.sample_fine = allotment.take(BatchTopkWorkspace::kFineBins * sizeof(std::uint32_t));
  layout.candidate_histogram =
      allotment.take(BatchTopkWorkspace::kRadixBins * sizeof(std::uint32_t));
  layout.radix_histogram = allotment.take(BatchTopkWorkspace::kRadixBins * sizeof(std::uint64_t));
  layout.zeroed_bytes = allotment.end();
  if (arguments.column_keys.source == KeySource::z_score) {
    const std::int64_t parts =
        (arguments.rows + BatchTopkWorkspace::kRowsOfPart - 1) / BatchTopkWorkspace::kRowsOfPart;
    layout.statistics =
        allotment.take(static_cast<std::size_t>(parts * arguments.columns) * 2 * sizeof(float));
  }
  layout.candidate_capacity = capacity_for(arguments.rows * arguments.columns);
  const auto list_bytes =
      static_cast<std::size_t>(layout.candidate_capacity) * sizeof(std::uint64_t);
  layout.candidates = allotment.take(list_bytes);
  layout.finalists = allotment.take(list_bytes);
  layout.bytes = allotment.end();
  return layout;
}

std::size_t batch_topk_workspace_bytes(const BatchTopkArguments& arguments) {
  return workspace_of(arguments).bytes;
}

}  // namespace stepscope::kernels
