// SPDX-License-Identifier: Apache-2.0
#include "kernels/pairwise_cosine/pairwise_cosine_reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/common/float_bits.hpp"

namespace stepscope::kernels {
namespace {

double number_of(const VectorSets& sets, std::int64_t at) {
  switch (sets.type) {
    case KeyType::bfloat16:
      return to_float(static_cast<const Bfloat16*>(sets.vectors)[at]);
    case KeyType::float16:
      return to_float(static_cast<const Float16*>(sets.vectors)[at]);
    case KeyType::float32:
      break;
  }
  return static_cast<const float*>(sets.vectors)[at];
}

// A used vector, divided by its length or by the least one.
struct UnitVector {
  std::vector<double> numbers;
  double divisor = 1;
  bool clamped = false;
  bool finite = true;
};

UnitVector unit_vector(const VectorSets& sets, std::int64_t vector) {
  UnitVector out;
  double squares = 0;
  for (std::int64_t k = 0; k < sets.width; ++k) {
    out.numbers.push_back(number_of(sets, vector * sets.width + k));
    squares += out.numbers.back() * out.numbers.back();
  }
  out.finite = squares <= static_cast<double>(std::numeric_limits<float>::max());
  out.clamped = std::sqrt(squares) < static_cast<double>(kPairwiseLeastLength);
  out.divisor = std::max(std::sqrt(squares), static_cast<double>(kPairwiseLeastLength));
  for (double& number : out.numbers) number /= out.divisor;
  return out;
}

std::vector<UnitVector> used_vectors(const VectorSets& sets, std::int64_t set) {
  std::vector<UnitVector> out;
  const std::int64_t used = sets.lengths == nullptr ? sets.count : sets.lengths[set];
  for (std::int64_t i = 0; i < used; ++i) out.push_back(unit_vector(sets, set * sets.count + i));
  return out;
}

double cosine_of(const UnitVector& a, const UnitVector& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.numbers.size(); ++k) sum += a.numbers[k] * b.numbers[k];
  return a.finite && b.finite ? std::clamp(sum, -1.0, 1.0)
                              : std::numeric_limits<double>::quiet_NaN();
}

// Adds what comes through x / |x|, or through x divided by the least length.
void add_projected(const UnitVector& unit, const std::vector<double>& of_unit, double* gradient) {
  double along = 0;
  for (std::size_t k = 0; k < of_unit.size(); ++k) along += of_unit[k] * unit.numbers[k];
  if (unit.clamped && !std::isnan(along)) along = 0;
  for (std::size_t k = 0; k < of_unit.size(); ++k)
    gradient[k] = (of_unit[k] - along * unit.numbers[k]) / unit.divisor;
}

}  // namespace

PairwiseCosineExpected pairwise_cosine_reference(const VectorSets& sets) {
  PairwiseCosineExpected out;
  out.distances.resize(static_cast<std::size_t>(sets.sets * sets.count));
  for (std::int64_t set = 0; set < sets.sets; ++set) {
    const std::vector<UnitVector> units = used_vectors(sets, set);
    const auto others = static_cast<double>(units.size()) - 1;
    const auto wrong = std::count_if(units.begin(), units.end(),
                                     [](const UnitVector& unit) { return !unit.finite; });
    out.not_finite.push_back(static_cast<std::int32_t>(wrong));
    double all = 0;
    for (std::size_t i = 0; i < units.size() && others > 0; ++i) {
      double sum = wrong > 0 ? std::numeric_limits<double>::quiet_NaN() : 0;
      for (std::size_t j = 0; j < units.size(); ++j)
        if (i != j) sum += 1 - cosine_of(units[i], units[j]);
      out.distances[static_cast<std::size_t>(set * sets.count) + i] = sum / others;
      all += sum / others;
    }
    out.scores.push_back(others > 0 ? all / (others + 1) : 0);
  }
  return out;
}

std::vector<double> pairwise_cosine_gradient_reference(const VectorSets& sets,
                                                       const float* of_scores,
                                                       const float* of_distances) {
  std::vector<double> out(static_cast<std::size_t>(sets.sets * sets.count * sets.width));
  for (std::int64_t set = 0; set < sets.sets; ++set) {
    const std::vector<UnitVector> units = used_vectors(sets, set);
    const auto used = static_cast<double>(units.size());
    const bool wrong = std::any_of(units.begin(), units.end(),
                                   [](const UnitVector& unit) { return !unit.finite; });
    const auto of_mean = [&](std::size_t i) {
      const auto at = static_cast<std::size_t>(set * sets.count) + i;
      return (of_distances == nullptr ? 0 : static_cast<double>(of_distances[at])) +
             (of_scores == nullptr ? 0 : static_cast<double>(of_scores[set]) / used);
    };
    for (std::size_t i = 0; i < units.size() && used > 1; ++i) {
      std::vector<double> of_unit(static_cast<std::size_t>(sets.width));
      if (wrong) of_unit[0] = std::numeric_limits<double>::quiet_NaN();
      for (std::size_t j = 0; j < units.size(); ++j)
        for (std::size_t k = 0; i != j && k < of_unit.size(); ++k)
          of_unit[k] -= (of_mean(i) + of_mean(j)) / (used - 1) * units[j].numbers[k];
      add_projected(units[i], of_unit,
                    out.data() + (static_cast<std::size_t>(set * sets.count) + i) *
                                     static_cast<std::size_t>(sets.width));
    }
  }
  return out;
}

}  // namespace stepscope::kernels
