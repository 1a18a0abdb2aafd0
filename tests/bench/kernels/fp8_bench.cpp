// SPDX-License-Identifier: Apache-2.0
// Matrix products in 8 bits against bfloat16 at the language model's shapes, with what the codes
// cost: whether the rung fp8 can win, shape by shape.
//
//   fp8_bench [--repetitions N] [--case NAME] [--once] [--benchmark_...]
//
// A case is one matrix of a preset and the tokens of a micro-batch. Its first line is the
// difference between both products as vectors, |a - b| / |b|, and the operations of one product;
// the bytes of a line are those that a pass must move, 0 for products, which are not bound by them.
// "full" and "fast" say how tensor cores sum. "step" is all that a step does with the matrix.
#include <ATen/TensorOperators.h>
#include <ATen/ops/_scaled_mm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <cstdio>

#include "kernels/fp8/fp8.hpp"
#include "reference_trainers/llm/model/fp8_matrix.hpp"
#include "tests/bench/kernels/bench_main.hpp"

namespace stepscope::kernels {
namespace {

using llm::Fp8Matrix;

struct Case {
  const char* name;
  std::int64_t tokens, inputs, outputs;
};
constexpr Case kCases[] = {{"t90m query_key_value", 32768, 768, 1280},
                           {"t90m attention_output", 32768, 768, 768},
                           {"t90m gate_up", 32768, 768, 4096},
                           {"t90m down", 32768, 2048, 768},
                           {"t90m head", 32768, 768, 32768},
                           {"t350m query_key_value", 32768, 1024, 3072},
                           {"t350m attention_output", 32768, 1024, 1024},
                           {"t350m gate_up", 32768, 1024, 5632},
                           {"t350m down", 32768, 2816, 1024}};

at::TensorOptions half() {
  return at::TensorOptions(at::kBFloat16).device(at::kCUDA);
}

class OnStream {
 public:
  explicit OnStream(cudaStream_t stream)
      : guard_(c10::cuda::getStreamFromExternal(stream, c10::cuda::current_device())) {}

 private:
  c10::cuda::CUDAStreamGuard guard_;
};

enum class Sums { full, fast };

class CaseRun : public CaseMemory {
 public:
  CaseRun(const Case& c, cudaStream_t stream)
      : on_(stream),
        case_(c),
        scales_({Fp8Format::e4m3, Fp8Format::e4m3, Fp8Format::e5m2}, 1, at::kCUDA),
        x_(at::randn({c.tokens, c.inputs}, half())),
        weight_(at::randn({c.outputs, c.inputs}, half()) * 0.02),
        through_(at::randn({c.tokens, c.outputs}, half()) * 1e-5),
        out_(at::empty({c.tokens, c.outputs}, half())),
        input_gradient_(at::empty({c.tokens, c.inputs}, half())),
        weight_gradient_(at::empty({c.outputs, c.inputs}, half())) {
    // Twice: the first codes measure for the second's scales.
    for (int i = 0; i < 2; ++i) {
      coded_x_ = quantised_by(slots_[0], x_);
      coded_weight_ = quantised_by(slots_[1], weight_);
      coded_through_ = quantised_by(slots_[2], through_);
      if (i == 0) scales_.update();
    }
    bf16_forward();
    const at::Tensor exact = out_.to(at::kFloat);
    fp8_forward(Sums::fast);
    apart_ = ((out_.to(at::kFloat) - exact).norm() / exact.norm()).item<double>();
  }

  std::string note() const override {
    char line[96];
    std::snprintf(line, sizeof line, "%.1f %% apart, %.1f GFLOP a product", 100 * apart_,
                  2e-9 * static_cast<double>(case_.tokens * case_.inputs * case_.outputs));
    return line;
  }

  void bf16_forward() { at::mm_out(out_, x_, weight_.t()); }
  void bf16_input_gradient() { at::mm_out(input_gradient_, through_, weight_); }
  void bf16_weight_gradient() { at::mm_out(weight_gradient_, through_.t(), x_); }
  void bf16_step() {
    bf16_forward();
    bf16_input_gradient();
    bf16_weight_gradient();
  }

  void fp8_forward(Sums sums) {
    product(out_, coded_x_.codes, coded_x_, coded_weight_.codes, coded_weight_, sums);
  }
  void fp8_input_gradient(Sums sums) {
    product(input_gradient_, coded_through_.codes, coded_through_, coded_weight_.transposed,
            coded_weight_, sums);
  }
  void fp8_weight_gradient(Sums sums) {
    product(weight_gradient_, coded_through_.transposed, coded_through_, coded_x_.transposed,
            coded_x_, sums);
  }
  void codes_of_x(cudaStream_t stream) const { codes(coded_x_, 0, x_, stream); }
  void codes_of_gradient(cudaStream_t stream) const { codes(coded_through_, 2, through_, stream); }
  void amax_of_x(cudaStream_t stream) const { amax(0, x_, stream); }
  void amax_of_gradient(cudaStream_t stream) const { amax(2, through_, stream); }
  void fp8_step(cudaStream_t stream, Sums of_gradients) {
    codes_of_x(stream);
    fp8_forward(Sums::fast);
    codes_of_gradient(stream);
    fp8_input_gradient(of_gradients);
    fp8_weight_gradient(of_gradients);
  }

  double numbers_of_x() const { return static_cast<double>(x_.numel()); }
  double numbers_of_gradient() const { return static_cast<double>(through_.numel()); }

 private:
  static void product(at::Tensor& out, const at::Tensor& a, const Fp8Matrix& of_a,
                      const at::Tensor& b, const Fp8Matrix& of_b, Sums sums) {
    at::_scaled_mm_out(out, a, b.t(), of_a.inverse, of_b.inverse, {}, {}, at::kBFloat16,
                       sums == Sums::fast);
  }
  void codes(const Fp8Matrix& to, std::size_t slot, const at::Tensor& from,
             cudaStream_t stream) const {
    const llm::Fp8Slot& of = slots_[slot];
    expect_ok(fp8_quantise({KeyType::bfloat16,
                            from.size(0),
                            from.size(1),
                            from.const_data_ptr(),
                            {of.format, of.scale.const_data_ptr<float>(),
                             static_cast<std::uint8_t*>(to.codes.mutable_data_ptr()),
                             static_cast<std::uint8_t*>(to.transposed.mutable_data_ptr()),
                             of.amax.mutable_data_ptr<float>()}},
                           stream));
  }
  void amax(std::size_t slot, const at::Tensor& from, cudaStream_t stream) const {
    expect_ok(fp8_amax({KeyType::bfloat16, from.numel(), from.const_data_ptr(),
                        slots_[slot].amax.mutable_data_ptr<float>()},
                       stream));
  }

  const OnStream on_;  // LibTorch's calls go to the timer's stream
  const Case case_;
  const llm::Fp8Scales scales_;
  const std::vector<llm::Fp8Slot> slots_{scales_.slot(0), scales_.slot(1), scales_.slot(2)};
  const at::Tensor x_, weight_, through_;
  at::Tensor out_, input_gradient_, weight_gradient_;
  Fp8Matrix coded_x_, coded_weight_, coded_through_;
  double apart_ = 0;
};

// run(memory, stream)
template <class Run>
Way timed(const char* name, Run run, std::function<double(const CaseRun&)> bytes = {}) {
  return way<CaseRun>(name, [=](CaseRun& memory, Turn& turn) {
    Work work;
    work.bytes = bytes ? bytes(memory) : 0;
    work.enqueue = [&memory, run](cudaStream_t stream) { run(memory, stream); };
    turn.take(work);
  });
}

std::vector<Way> ways(const Case&) {
  const auto of_x = [](double bytes) {
    return [bytes](const CaseRun& memory) { return bytes * memory.numbers_of_x(); };
  };
  const auto of_gradient = [](double bytes) {
    return [bytes](const CaseRun& memory) { return bytes * memory.numbers_of_gradient(); };
  };
  using Memory = CaseRun&;
  return {timed("forward: bf16", [](Memory m, cudaStream_t) { m.bf16_forward(); }),
          timed("forward: fp8, full", [](Memory m, cudaStream_t) { m.fp8_forward(Sums::full); }),
          timed("forward: fp8, fast", [](Memory m, cudaStream_t) { m.fp8_forward(Sums::fast); }),
          timed("input gradient: bf16", [](Memory m, cudaStream_t) { m.bf16_input_gradient(); }),
          timed("input gradient: fp8, full",
                [](Memory m, cudaStream_t) { m.fp8_input_gradient(Sums::full); }),
          timed("input gradient: fp8, fast",
                [](Memory m, cudaStream_t) { m.fp8_input_gradient(Sums::fast); }),
          timed("weight gradient: bf16", [](Memory m, cudaStream_t) { m.bf16_weight_gradient(); }),
          timed("weight gradient: fp8, full",
                [](Memory m, cudaStream_t) { m.fp8_weight_gradient(Sums::full); }),
          timed("weight gradient: fp8, fast",
                [](Memory m, cudaStream_t) { m.fp8_weight_gradient(Sums::fast); }),
          timed(
              "codes of x, both ways", [](Memory m, cudaStream_t s) { m.codes_of_x(s); }, of_x(4)),
          timed(
              "codes of the gradient, both ways",
              [](Memory m, cudaStream_t s) { m.codes_of_gradient(s); }, of_gradient(4)),
          timed(
              "greatest of x", [](Memory m, cudaStream_t s) { m.amax_of_x(s); }, of_x(2)),
          timed(
              "greatest of the gradient", [](Memory m, cudaStream_t s) { m.amax_of_gradient(s); },
              of_gradient(2)),
          timed("step: bf16", [](Memory m, cudaStream_t) { m.bf16_step(); }),
          timed("step: fp8, codes made in it, gradients full",
                [](Memory m, cudaStream_t s) { m.fp8_step(s, Sums::full); }),
          timed("step: fp8, codes made in it, gradients fast",
                [](Memory m, cudaStream_t s) { m.fp8_step(s, Sums::fast); })};
}

}  // namespace
}  // namespace stepscope::kernels

int main(int argc, char** argv) {
  using namespace stepscope::kernels;
  return bench_main(argc, argv,
                    {"Matrix products in 8 bits against bfloat16.", 20, Yardstick::copy_rate,
                     bench_cases<CaseRun>(kCases, ways)});
}
