// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/activation_files/measured_stats.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "reference_trainers/activation_files/block_reader.hpp"

namespace stepscope::trainers {
namespace {

constexpr std::int64_t kPartBytes = 16 << 20;

}  // namespace

// Sums in double: exact enough for a mean a hundred thousand times the deviation.
Result<MeasuredStats> measure_stats(const ActivationFiles& files, std::int64_t rows) {
  BlockReader reader(files, kPartBytes, at::Generator());
  const auto wide = at::TensorOptions(at::kDouble);
  at::Tensor sum = at::zeros({2, files.layers, files.d_model}, wide), squares = sum.clone();
  MeasuredStats measured;
  for (const RowSpan& span : reader.spans()) {
    if (measured.rows >= rows) break;
    const Result<at::Tensor> values = reader.read(span);
    if (!values) return values.error();
    const at::Tensor exact = values->to(at::kDouble);
    sum += exact.sum(2);
    squares += exact.square().sum(2);
    measured.rows += span.rows;
  }
  if (!squares.isfinite().all().item<bool>())
    return bad_input(files.folder + ": the first " + std::to_string(measured.rows) +
                     " rows hold NaN or an infinity");
  const auto count = static_cast<double>(measured.rows);
  const at::Tensor mean = sum / count;
  const at::Tensor variance =
      (squares / count - mean.square()).clamp_min(0) * (count / std::max(1.0, count - 1));
  measured.stats = {mean.to(at::kFloat), variance.sqrt().to(at::kFloat)};
  return measured;
}

}  // namespace stepscope::trainers
