// SPDX-License-Identifier: Apache-2.0
// A matrix of few different keys, so that the cut lies among equals, its mask, and its shards:
// features of each layer spread over the shards, or rows.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "kernels/batch_topk/batch_topk_reference.hpp"
#include "kernels/common/ordered_key.hpp"
#include "tests/kernels/support/key_patterns.hpp"
#include "tests/kernels/support/small_shapes.hpp"

namespace stepscope::kernels {

struct WholeShape {
  std::int64_t rows = 0, layers = 0, features = 0;

  std::int64_t columns() const { return layers * features; }
};

// What a shard holds: some features of each layer, of some rows.
struct ShardPart {
  std::int64_t first_row = 0, rows = 0, first_feature = 0, features = 0;
};

inline std::int64_t between(std::mt19937& random, std::int64_t least, std::int64_t most) {
  return std::uniform_int_distribution<std::int64_t>(least, most)(random);
}

enum class SpreadBy { features, rows };

inline std::vector<ShardPart> parts_of(const WholeShape& shape, SpreadBy by, std::int64_t shards) {
  std::vector<ShardPart> parts;
  const std::int64_t all = by == SpreadBy::rows ? shape.rows : shape.features;
  for (std::int64_t shard = 0; shard < shards; ++shard) {
    const std::int64_t begin = all * shard / shards;
    const std::int64_t size = all * (shard + 1) / shards - begin;
    parts.push_back(by == SpreadBy::rows ? ShardPart{begin, size, 0, shape.features}
                                         : ShardPart{0, shape.rows, begin, size});
  }
  return parts;
}

// One value an entry, whole or part, row by row.
template <class T>
std::vector<T> part_of(const std::vector<T>& whole, const WholeShape& shape,
                       const ShardPart& part) {
  std::vector<T> out;
  for (std::int64_t row = 0; row < part.rows; ++row)
    for (std::int64_t layer = 0; layer < shape.layers; ++layer)
      for (std::int64_t feature = 0; feature < part.features; ++feature)
        out.push_back(
            whole[static_cast<std::size_t>((part.first_row + row) * shape.columns() +
                                           layer * shape.features + part.first_feature + feature)]);
  return out;
}

template <class T>
class WholeMatrix {
 public:
  // Given keys, else few different ones.
  WholeMatrix(const WholeShape& shape, KeySource source, std::uint32_t seed,
              std::vector<T> keys = {})
      : shape_(shape), keys_(std::move(keys)) {
    std::mt19937 random(seed);
    if (keys_.empty()) {
      keys_.resize(static_cast<std::size_t>(shape.rows * shape.columns()));
      for (T& key : keys_) assign(key, static_cast<double>(between(random, -8, 14)) / 8);
    }
    arguments_.rows = shape.rows;
    arguments_.columns = shape.columns();
    arguments_.key_type = KeyTypeOf<T>::value;
    arguments_.keys = keys_.data();
    arguments_.column_keys.source = source;
    for (std::int64_t column = 0; column < shape.columns(); ++column) {
      mean_.push_back(static_cast<float>(between(random, -2, 2)) / 4);
      scale_.push_back(static_cast<float>(between(random, 1, 3)) / 2);
    }
    arguments_.column_keys.mean = mean_.data();
    arguments_.column_keys.scale = scale_.data();
  }
  WholeMatrix(const WholeMatrix&) = delete;
  WholeMatrix& operator=(const WholeMatrix&) = delete;

  BatchTopkArguments& arguments() { return arguments_; }

  // A byte an entry.
  std::vector<std::uint8_t> selected() const {
    const std::vector<std::uint32_t> mask = batch_topk_reference(arguments_).mask;
    std::vector<std::uint8_t> bytes;
    const std::int64_t words = mask_words_per_row(shape_.columns());
    for (std::int64_t row = 0; row < shape_.rows; ++row)
      for (std::int64_t column = 0; column < shape_.columns(); ++column)
        bytes.push_back(mask[static_cast<std::size_t>(row * words + column / 32)] >> (column % 32) &
                        1U);
    return bytes;
  }

  // The least selected key, ordered as float.
  std::uint32_t least() const {
    return ordered_key(static_cast<float>(batch_topk_reference(arguments_).threshold),
                       NanRank::first);
  }

  // The part's own memory: keys, and the columns' mean and scale.
  struct Part {
    std::vector<T> keys;
    std::vector<float> mean, scale;
    BatchTopkArguments arguments;
  };
  Part part(const ShardPart& of) const {
    const ShardPart first_row{0, 1, of.first_feature, of.features};
    Part part{part_of(keys_, shape_, of), part_of(mean_, shape_, first_row),
              part_of(scale_, shape_, first_row), arguments_};
    part.arguments.rows = of.rows;
    part.arguments.columns = shape_.layers * of.features;
    part.arguments.keys = part.keys.data();
    part.arguments.column_keys.mean = part.mean.data();
    part.arguments.column_keys.scale = part.scale.data();
    return part;
  }

 private:
  WholeShape shape_;
  std::vector<T> keys_;
  std::vector<float> mean_, scale_;
  BatchTopkArguments arguments_;
};

// Layers for shards of features, columns for shards of rows (shard_topk.hpp).
inline std::int64_t groups_of(const WholeShape& shape, SpreadBy by) {
  return by == SpreadBy::rows ? shape.columns() : shape.layers;
}

// Random matrices of at most so many rows, and features of a layer; counts from `least` on.
struct RandomShapes {
  std::uint32_t seeds;
  std::int64_t rows, features, least;
};

struct ShardedCase {
  WholeShape shape;
  SpreadBy by = SpreadBy::features;
  KeySource source = KeySource::raw;
  std::int64_t count = 0;
  std::uint32_t seed = 0;
  std::vector<std::int64_t> shards = {1, 2, 4, 8};  // in as many each in turn
};

// Small shapes: two cases a seed, in shards of one number.
template <class Check>
void on_random_shapes(const RandomShapes& shapes, Check check) {
  Turns turns;
  const std::uint32_t seeds = sized<std::uint32_t>(shapes.seeds, 4);
  for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
    std::mt19937 random(seed);
    const WholeShape shape{between(random, 8, shapes.rows), between(random, 1, 4),
                           between(random, 8, shapes.features)};
    const std::int64_t entries = shape.rows * shape.columns();
    const std::vector<std::int64_t> shards = Turns(seed).one_of<std::int64_t>({1, 2, 4, 8});
    std::vector<ShardedCase> cases;
    for (const SpreadBy by : {SpreadBy::features, SpreadBy::rows})
      for (const KeySource source : {KeySource::raw, KeySource::affine})
        cases.push_back(
            {shape, by, source, between(random, shapes.least, entries + 1), seed, shards});
    for (const ShardedCase& one : turns.of(cases, 2)) check(one);
  }
}

}  // namespace stepscope::kernels
