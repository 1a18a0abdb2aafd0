// SPDX-License-Identifier: Apache-2.0
// A made decoder in device memory, each call run on it into memory filled with rubbish, and its
// answer on the host.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "kernels/common/device_buffer.hpp"
#include "kernels/common/stream.hpp"
#include "kernels/sparse_decoder/sparse_decoder.hpp"
#include "tests/kernels/sparse_decoder/decoder_case.hpp"
#include "tests/kernels/support/gpu_found.hpp"
#include "tests/kernels/support/small_shapes.hpp"

namespace stepscope::kernels {

// Numbers of a type known at run time, as bytes.
class DeviceNumbers {
 public:
  DeviceNumbers() = default;
  DeviceNumbers(const std::vector<double>& numbers, KeyType type) : type_(type) {
    std::vector<std::byte> bytes(numbers.size() * bytes_of(type));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto wide = static_cast<float>(numbers[i]);
      const Bfloat16 narrow = to_bfloat16(wide);
      if (type == KeyType::float32)
        std::memcpy(bytes.data() + i * 4, &wide, 4);
      else
        std::memcpy(bytes.data() + i * 2, &narrow, 2);
    }
    memory_ = DeviceBuffer<std::byte>(bytes);
  }
  DeviceNumbers(std::int64_t count, KeyType type, int rubbish = 0xa5)
      : type_(type), memory_(static_cast<std::size_t>(count) * bytes_of(type)) {
    memory_.fill_bytes(rubbish);
  }

  void* data() const { return memory_.data(); }
  std::vector<std::byte> bytes() const { return memory_.to_host(); }
  std::vector<double> to_host() const {
    const std::vector<std::byte> bytes = memory_.to_host();
    std::vector<double> numbers(bytes.size() / bytes_of(type_));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      float wide = 0;
      Bfloat16 narrow{};
      if (type_ == KeyType::float32)
        std::memcpy(&wide, bytes.data() + i * 4, 4);
      else
        std::memcpy(&narrow, bytes.data() + i * 2, 2), wide = to_float(narrow);
      numbers[i] = wide;
    }
    return numbers;
  }

 private:
  KeyType type_ = KeyType::float32;
  DeviceBuffer<std::byte> memory_;
};

enum class RowOrder { tokens_first, layers_first };

struct DecoderTypes {
  KeyType weights = KeyType::bfloat16;
  KeyType rows = KeyType::float32;  // outputs and their gradients
  KeyType values = KeyType::bfloat16;
  KeyType gradients = KeyType::float32;  // type of the gradients of activations and weights
  LanesOfPiece lanes = 0;
  RowOrder order = RowOrder::tokens_first;
};

class DecoderOnDevice {
 public:
  DecoderOnDevice(const DecoderCase& made, const DecoderTypes& types)
      : made_(made),
        types_(types),
        token_offsets_(made.active.offsets),
        columns_(made.active.columns),
        values_(made.active.values, types.values),
        weights_(made.weights, types.weights),
        bias_(made.bias, KeyType::float32),
        output_gradients_(in_order(made.output_gradients), types.rows) {
    const ListByFeature list = by_feature(made.shape, made.active);
    feature_offsets_ = DeviceBuffer<std::int64_t>(list.offsets);
    tokens_ = DeviceBuffer<std::int32_t>(list.tokens);
    std::vector<double> values;
    for (const std::size_t entry : list.entries) values.push_back(made.active.values[entry]);
    feature_values_ = DeviceNumbers(values, types.values);
    outputs_ = DeviceNumbers(made.shape.tokens * made.shape.layers * made.shape.model, types.rows);
    value_gradients_ = DeviceNumbers(entries(), types.gradients);
    weight_gradients_ = DeviceNumbers(made.shape.weights(), types.gradients);
    bias_gradients_ = DeviceNumbers(made.shape.layers * made.shape.model, KeyType::float32);
    SparseDecoderActivationGradient sized;
    sized.shape = made.shape;
    sized.by_token.capacity = entries();
    sized.weight_type = types.weights;
    sized.lanes = types.lanes;
    workspace_ = DeviceBuffer<std::byte>(sparse_decoder_workspace_bytes(sized));
    workspace_.fill_bytes(0xff);
  }

  SparseDecoderForward forward() const {
    const ConstLayerRows rows = layer_rows(outputs_.data());
    return {made_.shape,     by_token(),
            weights_.data(), types_.weights,
            as_float(bias_), {outputs_.data(), rows.type, rows.token_stride, rows.layer_stride},
            types_.lanes};
  }
  SparseDecoderActivationGradient activation_gradient() const {
    return {made_.shape,
            by_token(),
            weights_.data(),
            types_.weights,
            layer_rows(output_gradients_.data()),
            value_gradients_.data(),
            types_.gradients,
            types_.lanes,
            workspace_.data(),
            workspace_.size()};
  }
  SparseDecoderWeightGradient weight_gradient() const {
    return {made_.shape, by_feature_list(), layer_rows(output_gradients_.data()),
            weight_gradients_.data(), types_.gradients};
  }
  SparseDecoderBiasGradient bias_gradient() const {
    return {made_.shape, layer_rows(output_gradients_.data()), as_float(bias_gradients_)};
  }
  void run_all(const Stream& stream) const {
    EXPECT_EQ(sparse_decoder_forward(forward(), stream.get()).message(), "");
    EXPECT_EQ(sparse_decoder_activation_gradient(activation_gradient(), stream.get()).message(),
              "");
    EXPECT_EQ(sparse_decoder_weight_gradient(weight_gradient(), stream.get()).message(), "");
    EXPECT_EQ(sparse_decoder_bias_gradient(bias_gradient(), stream.get()).message(), "");
  }

  ActiveFeatures by_token() const {
    return {token_offsets_.data(), columns_.data(), values_.data(), types_.values, entries()};
  }
  ActiveFeatures by_feature_list() const {
    return {feature_offsets_.data(), tokens_.data(), feature_values_.data(), types_.values,
            entries()};
  }
  ConstLayerRows layer_rows(const void* data) const {
    const SparseDecoderShape& shape = made_.shape;
    if (types_.order == RowOrder::tokens_first)
      return {data, types_.rows, shape.layers * shape.model, shape.model};
    return {data, types_.rows, shape.model, shape.tokens * shape.model};
  }
  std::int64_t entries() const { return made_.active.offsets.back(); }

  // [tokens, layers, model], as the reference has them.
  std::vector<double> outputs() const { return from_order(outputs_.to_host()); }
  std::vector<double> value_gradients() const { return value_gradients_.to_host(); }
  std::vector<double> weight_gradients() const { return weight_gradients_.to_host(); }
  std::vector<double> bias_gradients() const { return bias_gradients_.to_host(); }
  std::vector<std::vector<std::byte>> all_bytes() const {
    return {outputs_.bytes(), value_gradients_.bytes(), weight_gradients_.bytes(),
            bias_gradients_.bytes()};
  }

 private:
  static float* as_float(const DeviceNumbers& numbers) {
    return static_cast<float*>(numbers.data());
  }
  // visit(index with tokens first, index in the order of memory)
  template <class Visit>
  void for_each_number(Visit visit) const {
    const SparseDecoderShape& shape = made_.shape;
    const ConstLayerRows rows = layer_rows(nullptr);
    std::size_t plain = 0;
    for (std::int64_t token = 0; token < shape.tokens; ++token)
      for (std::int64_t layer = 0; layer < shape.layers; ++layer)
        for (std::int64_t i = 0; i < shape.model; ++i)
          visit(plain++, static_cast<std::size_t>(token * rows.token_stride +
                                                  layer * rows.layer_stride + i));
  }
  std::vector<double> in_order(const std::vector<double>& plain) const {
    std::vector<double> ordered(plain.size());
    for_each_number([&](std::size_t from, std::size_t to) { ordered[to] = plain[from]; });
    return ordered;
  }
  std::vector<double> from_order(const std::vector<double>& ordered) const {
    std::vector<double> plain(ordered.size());
    for_each_number([&](std::size_t to, std::size_t from) { plain[to] = ordered[from]; });
    return plain;
  }

  const DecoderCase made_;
  const DecoderTypes types_;
  DeviceBuffer<std::int64_t> token_offsets_, feature_offsets_;
  DeviceBuffer<std::int32_t> columns_, tokens_;
  DeviceNumbers values_, feature_values_, weights_, bias_, output_gradients_;
  DeviceNumbers outputs_, value_gradients_, weight_gradients_, bias_gradients_;
  DeviceBuffer<std::byte> workspace_;
};

}  // namespace stepscope::kernels
