// SPDX-License-Identifier: Apache-2.0
// The hash is SplitMix64's (Steele, Lea and Flood, 2014). 23 of its bits make a number between 0
// and 1, both excluded, that float32 holds exactly.
#include "reference_trainers/polychromic/data/reply_noise.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>

namespace stepscope::polychromic {
namespace {

constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;
constexpr std::uint64_t kFirstFactor = 0xBF58476D1CE4E5B9, kSecondFactor = 0x94D049BB133111EB;

std::uint64_t mixed(std::uint64_t z) {
  z += kOdd;
  z = (z ^ (z >> 30)) * kFirstFactor;
  z = (z ^ (z >> 27)) * kSecondFactor;
  return z ^ (z >> 31);
}

// Tensors have signed numbers alone, of which a right shift copies the sign.
at::Tensor shifted(const at::Tensor& z, int bits) {
  return z.bitwise_right_shift(bits).bitwise_and_((std::int64_t{1} << (64 - bits)) - 1);
}

std::int64_t as_signed(std::uint64_t number) {
  return static_cast<std::int64_t>(number);
}

// `z` becomes its hash.
void mix(at::Tensor& z) {
  z.bitwise_xor_(shifted(z, 30)).mul_(as_signed(kFirstFactor));
  z.bitwise_xor_(shifted(z, 27)).mul_(as_signed(kSecondFactor));
  z.bitwise_xor_(shifted(z, 31));
}

}  // namespace

at::Tensor reply_keys(std::uint64_t seed, std::int64_t step, std::int64_t prompts,
                      std::int64_t replies) {
  at::Tensor keys = at::empty({prompts * replies}, at::TensorOptions(at::kLong));
  auto* key = keys.mutable_data_ptr<std::int64_t>();
  const std::uint64_t of_step = mixed(mixed(seed) ^ static_cast<std::uint64_t>(step));
  for (std::int64_t prompt = 0; prompt < prompts; ++prompt)
    for (std::int64_t reply = 0; reply < replies; ++reply)
      *key++ = as_signed(mixed(mixed(of_step ^ static_cast<std::uint64_t>(prompt)) ^
                               static_cast<std::uint64_t>(reply)));
  return keys;
}

at::Tensor gumbel_noise(const at::Tensor& keys, std::int64_t positions, std::int64_t vocabulary) {
  constexpr int kBits = 23;
  const at::Tensor counters = at::arange(1, positions * vocabulary + 1, keys.options())
                                  .mul_(as_signed(kOdd))
                                  .view({positions, 1, vocabulary});
  at::Tensor z = counters + keys.view({1, -1, 1});
  mix(z);
  const at::Tensor uniform =
      shifted(z, 64 - kBits).to(at::kFloat).add_(0.5).mul_(1.0 / (1 << kBits));
  return uniform.log_().neg_().log_().neg_();
}

}  // namespace stepscope::polychromic
