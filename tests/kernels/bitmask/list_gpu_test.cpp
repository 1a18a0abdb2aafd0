// SPDX-License-Identifier: Apache-2.0
// Counts and lists against the reference, bit for bit, into memory filled with rubbish.
#include <algorithm>
#include <cstring>
#include <string>

#include "kernels/bitmask/bitmask_reference.hpp"
#include "kernels/common/stream.hpp"
#include "tests/kernels/bitmask/mask_cases.hpp"

namespace stepscope::kernels {
namespace {

// About a part's rows, a tile's rows and its words; words a row about those where a block takes a
// row, and about what it takes at a time.
const std::vector<Shape> kListShapes = {
    {31, 224},  {33, 256},  {1023, 40}, {1024, 288},    {1025, 257},    {2050, 31},
    {3, 8160},  {2, 8192},  {2, 8193},  {33, 511 * 32}, {2, 512 * 32},  {3, 513 * 32 - 5},
    {1, 65535}, {1, 65536}, {2, 65568}, {3, 2049 * 32}, {3, 4100 * 32}, {1040, 520}};

std::vector<Shape> all_shapes() {
  std::vector<Shape> all = kShapes;
  all.insert(all.end(), kListShapes.begin(), kListShapes.end());
  return all;
}

std::string what(const Shape& shape, BitmaskLines lines) {
  return std::to_string(shape.rows) + " x " + std::to_string(shape.columns) +
         (lines == BitmaskLines::rows ? " by rows" : " by columns");
}

// A list of all entries but the last, held against the reference; room behind them is left alone.
class ListCase {
 public:
  ListCase(const Shape& shape, BitmaskLines lines, const std::vector<std::uint32_t>& words)
      : shape_(shape),
        lines_(lines),
        words_(words),
        expected_(bitmask_list_reference({words.data(), shape.rows, shape.columns}, lines)) {}

  void add_to_columns() {
    for (std::int64_t column = 0; column < shape_.columns; ++column)
      addends_.push_back(static_cast<float>(column % 5) / 4);
  }

  void run(KeyType type, bool with_values) const {
    if (type == KeyType::float32)
      run_keys<float>(type, with_values);
    else
      run_keys<std::uint16_t>(type, with_values);
  }

 private:
  template <class Key>
  static Key key_of(std::int64_t entry) {
    return static_cast<Key>(entry % 65521);
  }

  template <class Key>
  void run_keys(KeyType type, bool with_values) const {
    std::vector<Key> keys;
    for (std::int64_t i = 0; i < shape_.rows * shape_.columns; ++i) keys.push_back(key_of<Key>(i));
    const DeviceBuffer<Key> keys_on_device(keys);
    const DeviceBuffer<std::uint32_t> words(words_);
    const DeviceBuffer<float> addends(addends_);
    const auto found = static_cast<std::int64_t>(expected_.indices.size());
    const DeviceBuffer<std::int64_t> offsets =
        poisoned<std::int64_t>(static_cast<std::int64_t>(expected_.offsets.size()));
    const DeviceBuffer<std::int32_t> indices = poisoned<std::int32_t>(found + 8);
    const DeviceBuffer<Key> values = poisoned<Key>(found + 8);
    const Bitmask mask{words.data(), shape_.rows, shape_.columns};
    const DeviceBuffer<std::byte> workspace =
        poisoned<std::byte>(static_cast<std::int64_t>(bitmask_list_workspace_bytes(mask, lines_)));
    BitmaskList list;
    list.lines = lines_;
    list.offsets = offsets.data();
    list.indices = indices.data();
    list.capacity = std::max<std::int64_t>(found - 1, 0);
    list.keys = with_values ? keys_on_device.data() : nullptr;
    list.values = with_values ? values.data() : nullptr;
    list.key_type = type;
    list.column_addends = addends_.empty() ? nullptr : addends.data();
    list.workspace = workspace.data();
    list.workspace_bytes = workspace.size();
    const Stream stream;
    EXPECT_EQ(bitmask_list(mask, list, stream.get()).message(), "");
    stream.synchronize();
    EXPECT_EQ(offsets.to_host(), expected_.offsets) << what(shape_, lines_);
    check(list.capacity, indices.to_host(), values.to_host(), with_values);
  }

  template <class Key>
  void check(std::int64_t capacity, const std::vector<std::int32_t>& indices,
             const std::vector<Key>& values, bool with_values) const {
    Key untouched;
    std::memset(&untouched, 0xa5, sizeof(Key));
    for (std::size_t at = 0; at < indices.size(); ++at) {
      const bool listed = static_cast<std::int64_t>(at) < capacity;
      ASSERT_EQ(indices[at],
                listed ? expected_.indices[at] : static_cast<std::int32_t>(0xa5a5a5a5U))
          << what(shape_, lines_) << " at " << at;
      ASSERT_EQ(values[at], listed && with_values ? value_of<Key>(at) : untouched)
          << what(shape_, lines_) << " at " << at;
    }
  }
  template <class Key>
  Key value_of(std::size_t at) const {
    const std::int64_t entry = expected_.entries[at];
    const Key key = key_of<Key>(entry);
    if (addends_.empty()) return key;
    return static_cast<Key>(key + addends_[static_cast<std::size_t>(entry % shape_.columns)]);
  }

  Shape shape_;
  BitmaskLines lines_;
  const std::vector<std::uint32_t>& words_;
  ExpectedList expected_;
  std::vector<float> addends_;
};

class BitmaskListGpu : public BitmaskGpu {};

TEST_P(BitmaskListGpu, CountsAreThoseOfTheReference) {
  const Stream stream;
  for (const Shape& shape : turn_of(all_shapes()))
    for (const BitmaskLines lines : {BitmaskLines::rows, BitmaskLines::columns}) {
      const std::vector<std::uint32_t> words = words_for(shape);
      const DeviceBuffer<std::uint32_t> on_device(words);
      const Bitmask mask{on_device.data(), shape.rows, shape.columns};
      const bool by_row = lines == BitmaskLines::rows;
      const DeviceBuffer<std::uint32_t> counts =
          poisoned<std::uint32_t>((by_row ? shape.rows : shape.columns) + 1);
      const auto count = by_row ? bitmask_row_counts : bitmask_column_counts;
      EXPECT_EQ(count(mask, counts.data(), stream.get()).message(), "");
      stream.synchronize();
      const std::vector<std::int64_t> offsets =
          bitmask_list_reference({words.data(), shape.rows, shape.columns}, lines).offsets;
      std::vector<std::uint32_t> expected;
      for (std::size_t i = 1; i < offsets.size(); ++i)
        expected.push_back(static_cast<std::uint32_t>(offsets[i] - offsets[i - 1]));
      expected.push_back(0xa5a5a5a5U);  // not a line's
      EXPECT_EQ(counts.to_host(), expected) << what(shape, lines);
    }
}

TEST_P(BitmaskListGpu, ListsAreThoseOfTheReference) {
  for (const Shape& shape : turn_of(all_shapes()))
    for (const BitmaskLines lines : {BitmaskLines::rows, BitmaskLines::columns}) {
      const std::vector<std::uint32_t> words = words_for(shape);
      ListCase with_values(shape, lines, words);
      with_values.run(KeyType::float32, true);
      ListCase sums(shape, lines, words);
      sums.add_to_columns();
      sums.run(KeyType::float32, true);
      ListCase(shape, lines, words).run(KeyType::bfloat16, true);
      ListCase(shape, lines, words).run(KeyType::bfloat16, false);
    }
}

INSTANTIATE_TEST_SUITE_P(Shares, BitmaskListGpu,
                         testing::Values(Share{0.0, 0}, Share{0.004, 1}, Share{0.3, 0},
                                         Share{1.0, 1}));

}  // namespace
}  // namespace stepscope::kernels
