// SPDX-License-Identifier: Apache-2.0
// What is made of a bitmask, against what moving its bytes costs.
//
//   bitmask_bench [--repetitions N] [--case NAME] [--once] [--benchmark_...]
//
// A line each: median, 99th percentile and least time in microseconds with a cold L2, TB/s of the
// bytes that must be moved (the mask once, each output once, selected keys alone), and the ratio to
// the best read-only kernel over the mask itself in the same run. Every answer is held against the
// reference before it is timed. --help lists the flags.
#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "kernels/bitmask/bitmask_reference.hpp"
#include "tests/bench/kernels/bench_main.hpp"
#include "tests/kernels/support/device_data.hpp"

namespace stepscope::kernels {
namespace {

struct Case {
  const char* name;
  std::int64_t rows, columns;
  std::int64_t selected;  // at random places, all over
};

constexpr Case kCases[] = {
    {"1024x49152, 204800 selected", 1024, 49152, 204800},
    {"1024x49152, half selected", 1024, 49152, 1024L * 49152 / 2},
    {"1024x589824, 204800 selected", 1024, 589824, 204800},
};

std::vector<std::uint32_t> made_words(const Case& c) {
  std::mt19937_64 random(3);
  const std::int64_t per_row = mask_words_per_row(c.columns);
  std::vector<std::uint32_t> words(static_cast<std::size_t>(c.rows * per_row));
  for (std::int64_t set = 0; set < c.selected;) {
    const auto entry =
        static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(c.rows * c.columns));
    std::uint32_t& word =
        words[static_cast<std::size_t>(entry / c.columns * per_row + entry % c.columns / 32)];
    const std::uint32_t bit = 1U << (entry % c.columns % 32);
    set += (word & bit) == 0 ? 1 : 0;
    word |= bit;
  }
  return words;
}

class CaseRun : public CaseMemory {
 public:
  CaseRun(const Case& c, cudaStream_t stream)
      : case_(c),
        host_words_(made_words(c)),
        host_{host_words_.data(), c.rows, c.columns},
        words_(host_words_),
        mask_{words_.data(), c.rows, c.columns},
        keys_(static_cast<std::size_t>(c.rows * c.columns) * bytes_of(KeyType::bfloat16)),
        dense_(keys_.size()) {
    fill_normal(keys_.data(), KeyType::bfloat16, c.rows * c.columns, 1, stream);
  }

  Readable readable() const override { return {words_.data(), words_.bytes() / 16384 * 16384}; }

  void bytes(Turn& turn) const {
    auto* out = reinterpret_cast<std::uint8_t*>(dense_.data());
    take(
        turn, dense_, entries(),
        [&](cudaStream_t stream) { expect_ok(bitmask_to_bytes(mask_, out, stream)); },
        [&] {
          const std::vector<std::byte> found = dense_.to_host();
          const std::vector<std::uint8_t> expected = bitmask_bytes_reference(host_);
          return std::equal(expected.begin(), expected.end(), found.begin(),
                            [](std::uint8_t a, std::byte b) { return std::byte{a} == b; });
        });
  }

  // The selected keys are read alone, the rest is written as zeros.
  void kept(Turn& turn) const {
    take(
        turn, dense_, entries() * 2 + static_cast<std::size_t>(case_.selected) * 2,
        [&](cudaStream_t stream) {
          expect_ok(bitmask_keep(mask_, KeyType::bfloat16, keys_.data(), dense_.data(), stream));
        },
        [&] {
          const std::vector<std::byte> found = dense_.to_host(), keys = keys_.to_host();
          const std::vector<std::uint8_t> expected = bitmask_bytes_reference(host_);
          for (std::size_t i = 0; i < found.size(); ++i)
            if (found[i] != (expected[i / 2] != 0 ? keys[i] : std::byte{0})) return false;
          return true;
        });
  }

  void counts(Turn& turn, BitmaskLines by) const {
    const DeviceBuffer<std::uint32_t> out(lines(by));
    const auto count = by == BitmaskLines::rows ? bitmask_row_counts : bitmask_column_counts;
    take(
        turn, out, out.bytes(),
        [&](cudaStream_t stream) { expect_ok(count(mask_, out.data(), stream)); },
        [&] {
          const std::vector<std::int64_t> offsets = bitmask_list_reference(host_, by).offsets;
          const std::vector<std::uint32_t> found = out.to_host();
          for (std::size_t i = 0; i < found.size(); ++i)
            if (found[i] != offsets[i + 1] - offsets[i]) return false;
          return true;
        });
  }

  void list(Turn& turn, BitmaskLines by) const {
    const auto selected = static_cast<std::size_t>(case_.selected);
    const DeviceBuffer<std::int64_t> offsets(lines(by) + 1);
    const DeviceBuffer<std::int32_t> indices(selected);
    const DeviceBuffer<std::uint16_t> values(selected);
    const DeviceBuffer<std::byte> workspace(bitmask_list_workspace_bytes(mask_, by));
    BitmaskList out;
    out.lines = by, out.offsets = offsets.data(), out.indices = indices.data();
    out.capacity = case_.selected, out.keys = keys_.data(), out.values = values.data();
    out.workspace = workspace.data(), out.workspace_bytes = workspace.size();
    take(
        turn, indices, offsets.bytes() + selected * (4 + 2 + 2),
        [&](cudaStream_t stream) { expect_ok(bitmask_list(mask_, out, stream)); },
        [&] {
          const ExpectedList expected = bitmask_list_reference(host_, by);
          return offsets.to_host() == expected.offsets && indices.to_host() == expected.indices &&
                 values_are(values.to_host(), expected);
        });
  }

 private:
  std::size_t entries() const { return static_cast<std::size_t>(case_.rows * case_.columns); }
  std::size_t lines(BitmaskLines by) const {
    return static_cast<std::size_t>(by == BitmaskLines::rows ? case_.rows : case_.columns);
  }

  // The mask is read too.
  template <class T, class Judge>
  void take(Turn& turn, const DeviceBuffer<T>& out, std::size_t other_bytes, const Enqueue& enqueue,
            Judge judge) const {
    Work work;
    work.bytes = static_cast<double>(words_.bytes() + other_bytes);
    work.enqueue = enqueue;
    work.spoil = [&] { out.fill_bytes(0xa5); };
    work.judge = [&]() -> Judgement { return {judge()}; };
    turn.take(work);
  }

  bool values_are(const std::vector<std::uint16_t>& found, const ExpectedList& expected) const {
    const std::vector<std::byte> keys = keys_.to_host();
    for (std::size_t i = 0; i < found.size(); ++i) {
      std::uint16_t key = 0;
      std::memcpy(&key, &keys[static_cast<std::size_t>(expected.entries[i]) * 2], 2);
      if (found[i] != key) return false;
    }
    return true;
  }

  const Case case_;
  const std::vector<std::uint32_t> host_words_;
  const Bitmask host_;
  const DeviceBuffer<std::uint32_t> words_;
  const Bitmask mask_;
  const DeviceBuffer<std::byte> keys_, dense_;
};

std::vector<Way> ways(const Case&) {
  const auto by = [](const char* name, auto run, BitmaskLines lines) {
    return way<CaseRun>(name,
                        [=](const CaseRun& memory, Turn& turn) { (memory.*run)(turn, lines); });
  };
  return {way<CaseRun>("bytes", &CaseRun::bytes),
          way<CaseRun>("kept keys, bf16", &CaseRun::kept),
          by("row counts", &CaseRun::counts, BitmaskLines::rows),
          by("column counts", &CaseRun::counts, BitmaskLines::columns),
          by("list by rows", &CaseRun::list, BitmaskLines::rows),
          by("list by columns", &CaseRun::list, BitmaskLines::columns)};
}

}  // namespace
}  // namespace stepscope::kernels

int main(int argc, char** argv) {
  using namespace stepscope::kernels;
  return bench_main(argc, argv,
                    {"What is made of a bitmask, against what moving its bytes costs.", 200,
                     Yardstick::best_read, bench_cases<CaseRun>(kCases, ways)});
}
