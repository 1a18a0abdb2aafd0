// SPDX-License-Identifier: Apache-2.0
// pairwise_cosine against what reading its vectors costs.
//
//   pairwise_cosine_bench [--repetitions N] [--case NAME] [--once] [--benchmark_...]
//
// A line each: median, 99th percentile and least time in microseconds with a cold L2, TB/s of the
// vectors read once, and the ratio to the best read-only kernel of the same size in the same run.
// A small case is a kernel of two or three microseconds, which an event on each side of it
// lengthens: of sixteen in a row the sixteenth part is its time. Each answer is judged by the
// reference before it is timed. --help lists the flags.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kernels/pairwise_cosine/pairwise_cosine_reference.hpp"
#include "tests/bench/kernels/bench_main.hpp"
#include "tests/kernels/support/device_data.hpp"

namespace stepscope::kernels {
namespace {

struct Case {
  const char* name;
  KeyType type;
  std::int64_t sets, count, width;
};

constexpr Case kCases[] = {
    {"fp32 2 sets of 3x384", KeyType::float32, 2, 3, 384},
    {"bf16 1 set of 64x1024", KeyType::bfloat16, 1, 64, 1024},
    {"fp32 64 sets of 8x512", KeyType::float32, 64, 8, 512},
    {"bf16 4096 sets of 8x768", KeyType::bfloat16, 4096, 8, 768},
    {"fp32 4096 sets of 8x768", KeyType::float32, 4096, 8, 768},
    {"bf16 1024 sets of 64x1024", KeyType::bfloat16, 1024, 64, 1024},
};

class CaseRun : public CaseMemory {
 public:
  CaseRun(const Case& c, cudaStream_t stream)
      : bytes_(static_cast<std::size_t>(c.sets * c.count * c.width) * bytes_of(c.type)),
        vectors_(std::max<std::size_t>(bytes_, 16384)),
        scores_(static_cast<std::size_t>(c.sets)),
        distances_(static_cast<std::size_t>(c.sets * c.count)),
        gradients_(bytes_) {
    fill_normal(vectors_.data(), c.type, c.sets * c.count * c.width, 1, stream);
    sets_ = {vectors_.data(), c.type, c.sets, c.count, c.width};
  }

  Readable readable() const override { return {vectors_.data(), vectors_.bytes() / 16384 * 16384}; }

  void once(Turn& turn) const { distances(turn, 1); }
  void sixteen(Turn& turn) const { distances(turn, 16); }
  void gradient(Turn& turn) const {
    Work work;
    work.bytes = 2 * static_cast<double>(bytes_);
    work.enqueue = [&](cudaStream_t stream) {
      expect_ok(pairwise_cosine_gradient(
          {sets_, scores_.data(), distances_.data(), gradients_.data()}, stream));
    };
    work.judge = []() -> Judgement { return {}; };  // tests/kernels/pairwise_cosine judges it
    turn.take(work);
  }

 private:
  void distances(Turn& turn, int calls) const {
    Work work;
    work.bytes = static_cast<double>(bytes_) * calls;
    work.enqueue = [&, calls](cudaStream_t stream) {
      for (int i = 0; i < calls; ++i)
        expect_ok(pairwise_cosine({sets_, scores_.data(), distances_.data()}, stream));
    };
    work.spoil = [&] { distances_.fill_bytes(0xa5); };
    work.judge = [&] { return judged(); };
    turn.take(work);
  }

  // The first sets, and the last one's score.
  Judgement judged() const {
    const std::vector<std::byte> vectors = vectors_.to_host();
    const std::vector<float> found = distances_.to_host();
    VectorSets some = sets_;
    some.vectors = vectors.data();
    some.sets = std::min<std::int64_t>(some.sets, 64);
    const PairwiseCosineExpected expected = pairwise_cosine_reference(some);
    for (std::size_t i = 0; i < expected.distances.size(); ++i)
      if (!(std::fabs(static_cast<double>(found[i]) - expected.distances[i]) <= 1e-6))
        return {false, "distance " + std::to_string(i) + " is off"};
    return {};
  }

  const std::size_t bytes_;
  const DeviceBuffer<std::byte> vectors_;
  const DeviceBuffer<float> scores_, distances_;
  const DeviceBuffer<std::byte> gradients_;
  VectorSets sets_;
};

std::vector<Way> ways(const Case& c) {
  std::vector<Way> all{way<CaseRun>("distances", &CaseRun::once).with_graph(),
                       way<CaseRun>("gradient", &CaseRun::gradient).with_graph()};
  if (c.sets <= 64) all.push_back(way<CaseRun>("16 in a row", &CaseRun::sixteen).with_graph());
  return all;
}

}  // namespace
}  // namespace stepscope::kernels

int main(int argc, char** argv) {
  using namespace stepscope::kernels;
  return bench_main(argc, argv,
                    {"pairwise_cosine against what reading its vectors costs.", 200,
                     Yardstick::best_read, bench_cases<CaseRun>(kCases, ways)});
}
