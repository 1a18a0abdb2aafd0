// SPDX-License-Identifier: Apache-2.0
// Whether a rung trains what R0 trains, judged by what rounding can do and no more.
//
// Gradients of the first step are compared weight by weight. Nothing has diverged yet, so they
// differ by rounding alone, and rounding errors have no common direction: along R0's gradient they
// average out over the thousands of numbers of a weight. So the factor between the two gradients is
// 1 within a small fraction of bfloat16's own step, while an operation whose gradient is wrong by a
// factor moves the factor of every weight below it.
//
// Losses of later steps diverge by chaos: two float32 runs whose first weights differ by one
// rounding to bfloat16 are as far apart after some dozens of steps as a bfloat16 run is from a
// float32 one. That distance is measured, on the device of the test, and is the yardstick.
#pragma once

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "reference_trainers/llm/data/corpus.hpp"
#include "reference_trainers/llm/model/precision.hpp"
#include "reference_trainers/llm/training/training.hpp"
#include "tests/reference_trainers/llm/small_run.hpp"

namespace stepscope::llm {

// By the names of the unpacked weights, float64, on the CPU.
using Gradients = std::map<std::string, at::Tensor>;

inline Training begun(const Config& config, at::Device device) {
  at::set_num_threads(config.threads);  // repeatable to the bit
  apply_to_process(config.rungs, device);
  Training training(config, device);
  const Result<Corpus> corpus = open_corpus(config);
  EXPECT_TRUE(corpus) << corpus.error().message;
  training.begin_at(0, make_feed(config, corpus->stream, device, 0));
  return training;
}

inline void add_unpacked(Gradients& all, const Shape& shape, const Parameter& parameter) {
  const at::Tensor whole = parameter.leaf.grad().to(at::kDouble).cpu();
  const auto part = [&](const char* packed,
                        const std::vector<std::pair<const char*, std::int64_t>>& rows) {
    const std::size_t at = parameter.name.rfind(packed);
    if (at == std::string::npos) return false;
    std::int64_t begin = 0;
    for (const auto& [name, count] : rows) {
      all[parameter.name.substr(0, at) + name] = whole.narrow(0, begin, count).clone();
      begin += count;
    }
    return true;
  };
  const std::int64_t kv = shape.kv_size();
  if (part("query_key_value", {{"query", shape.d_model}, {"key", kv}, {"value", kv}})) return;
  if (part("gate_up", {{"gate", shape.hidden}, {"up", shape.hidden}})) return;
  all[parameter.name] = whole;
}

inline Gradients first_gradients(Config config, at::Device device) {
  config.clip = 1e9;
  Training training = begun(config, device);
  EXPECT_TRUE(training.step(0));
  Gradients all;
  for (const Parameter& parameter : training.parameters())
    add_unpacked(all, config.shape, parameter);
  return all;
}

// |<g, g0> / <g0, g0> - 1|: the greatest of all matrices, and of the vectors, which have too few
// numbers for their rounding errors to average out as far.
struct GradientDistance {
  double matrices = 0, vectors = 0;
  std::string of_matrices, of_vectors;
};

inline GradientDistance distance(const Gradients& first, const Gradients& other) {
  GradientDistance out;
  EXPECT_EQ(first.size(), other.size());
  for (const auto& [name, g0] : first) {
    const double square = g0.square().sum().item<double>();
    const double factor = (other.at(name) * g0).sum().item<double>() / square;
    double& greatest = g0.dim() > 1 ? out.matrices : out.vectors;
    if (std::abs(factor - 1) <= greatest) continue;  // and not where it is NaN
    greatest = std::abs(factor - 1);
    (g0.dim() > 1 ? out.of_matrices : out.of_vectors) = name;
  }
  return out;
}

// Measured on the CPU at two sizes: bfloat16 rungs up to 0.0016 and 0.006.
constexpr double kMatrixFactor = 0.005, kVectorFactor = 0.015;
// Limits for 8 bits, whose rounding errors are 16 and 32 times as large. They grow with the layers
// that a gradient passes: at t90m, on an H100, a gradient of queries and keys differs from R0's by
// 23 % of its length and shrinks by up to 8.5 %. A step of E5M2 is a quarter, so half of one is what
// its rounding can do.
constexpr double kFp8MatrixFactor = 0.03, kFp8VectorFactor = 0.1, kDeepFp8Factor = 0.125;
constexpr std::int64_t kDeep = 8;  // layers

struct FactorLimits {
  double matrices = kMatrixFactor, vectors = kVectorFactor;
};

inline FactorLimits limits_of(const Config& config) {
  if (!config.rungs.fp8) return {};
  if (config.shape.layers < kDeep) return {kFp8MatrixFactor, kFp8VectorFactor};
  return {kDeepFp8Factor, kDeepFp8Factor};
}

inline void expect_same_gradients(const Gradients& first, const Gradients& other,
                                  const Config& config, const std::string& rung) {
  const GradientDistance apart = distance(first, other);
  const FactorLimits limits = limits_of(config);
  EXPECT_LT(apart.matrices, limits.matrices) << rung << ": " << apart.of_matrices;
  EXPECT_LT(apart.vectors, limits.vectors) << rung << ": " << apart.of_vectors;
}

// How the first weights are disturbed: not, or rounded to bfloat16 after adding a part of its last
// place, which rounds others up and down.
enum class Disturbed { no, rounded, rounded_up, rounded_down };

inline void disturb(const Parameter& parameter, Disturbed how) {
  const at::NoGradGuard no_grad;
  constexpr double kThirdOfAPlace = 0x1p-9 / 3;
  const double shift = how == Disturbed::rounded_up     ? kThirdOfAPlace
                       : how == Disturbed::rounded_down ? -kThirdOfAPlace
                                                        : 0;
  parameter.tensor.mul_(1 + shift);
  parameter.tensor.copy_(parameter.tensor.to(at::kBFloat16));
  parameter.tensor.mul_(1 - shift);
}

inline std::vector<double> losses_of(const Config& config, at::Device device,
                                     Disturbed how = Disturbed::no) {
  Training training = begun(config, device);
  if (how != Disturbed::no)
    for (const Parameter& parameter : training.parameters()) disturb(parameter, how);
  std::vector<double> losses;
  for (std::int64_t index = 0; index < config.steps; ++index) {
    const Result<std::vector<StepLog>> read = training.step(index);
    EXPECT_TRUE(read) << read.error().message;
    for (const StepLog& step : *read) losses.push_back(step.loss);
  }
  EXPECT_EQ(losses.size(), static_cast<std::size_t>(config.steps));
  return losses;
}

// Root mean square of the relative differences.
inline double spread(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    sum += std::pow((a[i] - b[i]) / a[i], 2);
  return std::sqrt(sum / static_cast<double>(a.size()));
}

// Returns how far apart the losses of float32 runs come whose first weights differ by one rounding.
inline double spread_by_rounding(const Config& config, at::Device device,
                                 const std::vector<double>& losses) {
  double largest = 0;
  for (const Disturbed how : {Disturbed::rounded, Disturbed::rounded_up, Disturbed::rounded_down})
    largest = std::max(largest, spread(losses, losses_of(config, device, how)));
  return largest;
}

// A bfloat16 run rounds in every step what the yardstick rounds once. Moments of 8 bits are no
// rounding of a number type: they are held to what the paper calls the same training, and so are
// products of 8 bits.
inline double allowed_spread(const Rungs& rungs, double yardstick) {
  constexpr double kSpreads = 4, kOfEightBits = 0.01;
  return std::max(kSpreads * yardstick, rungs.adamw_8bit || rungs.fp8 ? kOfEightBits : 0);
}

}  // namespace stepscope::llm
