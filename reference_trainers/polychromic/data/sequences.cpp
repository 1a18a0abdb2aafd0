// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/polychromic/data/sequences.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randperm.h>
#include <ATen/ops/where.h>
#include <fmt/format.h>

#include "reference_trainers/common/random.hpp"
#include "reference_trainers/common/tensor_file.hpp"

namespace stepscope::polychromic {
namespace {

using trainers::RandomStream;

constexpr const char* kSequencesSchema = "polychromic.sequences/1";
constexpr const char* kSequencesKind = "data";

Error wrong_sequences(const Config& config, const std::string& what) {
  return bad_input(fmt::format("data {}: {}", config.data, what));
}

Status check_sequences(const Config& config, const at::Tensor& tokens) {
  if (tokens.size(0) < config.batch)
    return wrong_sequences(config, fmt::format("it holds {} sequences, a step takes {}; lower "
                                               "--batch, or bring more",
                                               tokens.size(0), config.batch));
  const Lengths& lengths = config.lengths;
  if (tokens.size(1) != lengths.sequence())
    return wrong_sequences(
        config, fmt::format("a sequence has {} tokens, --prompt {} and --reply {} are {}",
                            tokens.size(1), lengths.prompt, lengths.reply, lengths.sequence()));
  const auto least = tokens.min().item<std::int64_t>(), most = tokens.max().item<std::int64_t>();
  if (least < 0 || most >= config.vocabulary)
    return wrong_sequences(
        config, fmt::format("it holds the token {}; --vocabulary {} takes 0 to {}",
                            least < 0 ? least : most, config.vocabulary, config.vocabulary - 1));
  return Done{};
}

Result<at::Tensor> read_sequences(const Config& config) {
  const auto all = trainers::read_tensor_file(kSequencesKind, config.data);
  if (!all) return all.error();
  const c10::IValue* schema = trainers::find(*all, "schema");
  const c10::IValue* value = trainers::find(*all, "tokens");
  if (schema == nullptr || !schema->isString() || schema->toStringRef() != kSequencesSchema ||
      value == nullptr || !value->isTensor() || value->toTensor().scalar_type() != at::kLong ||
      value->toTensor().dim() != 2)
    return wrong_sequences(config, "is no file of sequences; --write-data writes one");
  const at::Tensor tokens = value->toTensor().contiguous();
  if (const Status good = check_sequences(config, tokens); !good) return good.error();
  return tokens;
}

}  // namespace

at::Tensor make_sequences(const Config& config) {
  constexpr double kFollows = 0.9;
  const at::TensorOptions whole(at::kLong);
  at::Generator tables = trainers::seeded_generator(config.seed, RandomStream::directions);
  const at::Tensor one = at::randperm(config.vocabulary, tables, whole);
  const at::Tensor other = at::randperm(config.vocabulary, tables, whole);
  at::Generator random = trainers::seeded_generator(config.seed, RandomStream::activations);
  const std::int64_t count = config.sequences, length = config.lengths.sequence();
  const at::Tensor any = at::randint(config.vocabulary, {length, count}, random, whole);
  const at::Tensor follows = at::rand({length, count}, random).lt(kFollows);
  const at::Tensor first = at::rand({length, count}, random).lt(0.5);
  const at::Tensor all = at::empty({count, length}, whole);
  at::Tensor last = any[0];
  for (std::int64_t t = 0; t < length; ++t) {
    if (t > 0)
      last = at::where(follows[t],
                       at::where(first[t], one.index_select(0, last), other.index_select(0, last)),
                       any[t]);
    all.select(1, t).copy_(last);
  }
  return all;
}

Result<at::Tensor> open_sequences(const Config& config) {
  Result<at::Tensor> all =
      config.data.empty() ? Result<at::Tensor>(make_sequences(config)) : read_sequences(config);
  if (!all) return all;
  at::Generator random = trainers::seeded_generator(config.seed, RandomStream::batches);
  return all->index_select(0, at::randperm(all->size(0), random, at::TensorOptions(at::kLong)));
}

Status write_sequences(const std::string& path, const at::Tensor& tokens) {
  trainers::Dictionary all = trainers::empty_dictionary();
  all.insert("schema", std::string(kSequencesSchema));
  all.insert("tokens", tokens);
  return trainers::write_tensor_file(kSequencesKind, path, all);
}

at::Tensor batch_of(const at::Tensor& sequences, const Config& config, std::int64_t step) {
  const std::int64_t batches = sequences.size(0) / config.batch;
  return sequences.narrow(0, step % batches * config.batch, config.batch);
}

}  // namespace stepscope::polychromic
