// SPDX-License-Identifier: Apache-2.0
// Lists of active features by tokens and by features, the same number of features in each token.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/common/device_buffer.hpp"
#include "kernels/common/float_bits.hpp"
#include "kernels/sparse_decoder/sparse_decoder.hpp"

namespace stepscope::kernels {

// How often features are active: all alike, or as 1 / (rank + 50) in an order that mixes the
// layers.
enum class Activity { uniform, skewed };

struct HostList {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> indices;
  std::vector<Bfloat16> values;
};

class DeviceList {
 public:
  DeviceList() = default;
  explicit DeviceList(const HostList& list)
      : offsets_(list.offsets), indices_(list.indices), values_(list.values) {}
  ActiveFeatures view() const {
    return {offsets_.data(), indices_.data(), values_.data(), KeyType::bfloat16,
            static_cast<std::int64_t>(indices_.size())};
  }

 private:
  DeviceBuffer<std::int64_t> offsets_;
  DeviceBuffer<std::int32_t> indices_;
  DeviceBuffer<Bfloat16> values_;
};

class MadeLists {
 public:
  MadeLists(const SparseDecoderShape& shape, std::int64_t active, Activity activity) {
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> share;
    const auto columns = static_cast<double>(shape.columns());
    const double spread = std::log((columns + 50) / 50);
    std::vector<std::int32_t> order(static_cast<std::size_t>(shape.columns()));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int32_t>(i);
    std::shuffle(order.begin(), order.end(), random);
    std::vector<std::vector<std::pair<std::int32_t, Bfloat16>>> lines(order.size());
    std::vector<std::uint8_t> taken(order.size());
    for (std::int64_t token = 0; token < shape.tokens; ++token) {
      std::vector<std::int32_t> chosen;
      while (static_cast<std::int64_t>(chosen.size()) < active) {
        const double at = activity == Activity::uniform
                              ? share(random) * columns
                              : 50 * std::exp(share(random) * spread) - 50;
        const auto rank = std::min(static_cast<std::size_t>(at), order.size() - 1);
        if (taken[rank] != 0) continue;
        taken[rank] = 1;
        chosen.push_back(static_cast<std::int32_t>(rank));
      }
      for (std::int32_t& column : chosen) {
        taken[static_cast<std::size_t>(column)] = 0;
        column = order[static_cast<std::size_t>(column)];
      }
      std::sort(chosen.begin(), chosen.end());
      for (const std::int32_t column : chosen) {
        const Bfloat16 value = to_bfloat16(static_cast<float>(1 + share(random)));
        tokens_.indices.push_back(column);
        tokens_.values.push_back(value);
        lines[static_cast<std::size_t>(column)].emplace_back(static_cast<std::int32_t>(token),
                                                             value);
        active_vectors_ += shape.layers - column / shape.features;
      }
      tokens_.offsets.push_back(static_cast<std::int64_t>(tokens_.indices.size()));
    }
    for (std::size_t column = 0; column < lines.size(); ++column) {
      if (!lines[column].empty())
        touched_vectors_ += shape.layers - static_cast<std::int64_t>(column) / shape.features;
      for (const auto& [token, value] : lines[column]) {
        features_.indices.push_back(token);
        features_.values.push_back(value);
      }
      features_.offsets.push_back(static_cast<std::int64_t>(features_.indices.size()));
    }
    by_token_ = DeviceList(tokens_);
    by_feature_ = DeviceList(features_);
  }

  const HostList& host_by_token() const { return tokens_; }
  const HostList& host_by_feature() const { return features_; }
  ActiveFeatures by_token() const { return by_token_.view(); }
  ActiveFeatures by_feature() const { return by_feature_.view(); }
  // Vectors, over all targets: of each active feature of each token; of each feature that is
  // active.
  std::int64_t active_vectors() const { return active_vectors_; }
  std::int64_t touched_vectors() const { return touched_vectors_; }

 private:
  HostList tokens_, features_;
  DeviceList by_token_, by_feature_;
  std::int64_t active_vectors_ = 0, touched_vectors_ = 0;
};

}  // namespace stepscope::kernels
