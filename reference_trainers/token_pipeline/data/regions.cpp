// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/token_pipeline/data/regions.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/repeat_interleave.h>
#include <ATen/ops/where.h>
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "reference_trainers/common/random.hpp"
#include "reference_trainers/common/tensor_file.hpp"

namespace stepscope::token_pipeline {
namespace {

constexpr const char* kSchema = "token_pipeline.regions/1";
constexpr const char* kKind = "data";

std::vector<std::int64_t> begins_of(const at::Tensor& lengths) {
  std::vector<std::int64_t> begins{0};
  const auto* length = lengths.const_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < lengths.numel(); ++i) begins.push_back(begins.back() + length[i]);
  return begins;
}

at::Tensor tensor_in(const trainers::Dictionary& all, const char* name, at::ScalarType type,
                     std::int64_t dimensions) {
  const c10::IValue* value = trainers::find(all, name);
  if (value == nullptr || !value->isTensor()) return {};
  const at::Tensor tensor = value->toTensor();
  return tensor.scalar_type() == type && tensor.dim() == dimensions ? tensor.contiguous()
                                                                    : at::Tensor();
}

Error wrong(const Config& config, const std::string& what) {
  return bad_input(fmt::format("data {}: {}", config.data, what));
}

Status check_form(const Config& config, const Regions& regions, const at::Tensor& lengths) {
  const Shape& shape = config.shape;
  if (regions.count() < kRegionsOfSample)
    return wrong(config, fmt::format("it holds {} regions, a sample takes {}", regions.count(),
                                     kRegionsOfSample));
  if (lengths.min().item<std::int64_t>() < 1) return wrong(config, "a region has no tokens");
  const std::int64_t rows = regions.begins.back();
  if (regions.tokens.numel() != rows || regions.features.size(0) != rows ||
      regions.labels.numel() != regions.count())
    return wrong(config, fmt::format("its lengths are of {} rows and {} regions, it holds {} "
                                     "tokens, {} vectors and {} labels; write it again",
                                     rows, regions.count(), regions.tokens.numel(),
                                     regions.features.size(0), regions.labels.numel()));
  if (regions.features.size(1) != shape.features)
    return wrong(config, fmt::format("a token has {} numbers; say --features {}",
                                     regions.features.size(1), regions.features.size(1)));
  return Done{};
}

Status check_range(const Config& config, const char* what, const at::Tensor& numbers,
                   std::int64_t end, const char* flag) {
  const auto least = numbers.min().item<std::int64_t>(), most = numbers.max().item<std::int64_t>();
  if (least >= 0 && most < end) return Done{};
  return wrong(config, fmt::format("it holds the {} {}; {} {} takes 0 to {}", what,
                                   least < 0 ? least : most, flag, end, end - 1));
}

Status check_regions(const Config& config, const Regions& regions, const at::Tensor& lengths) {
  if (const Status form = check_form(config, regions, lengths); !form) return form;
  if (const Status fits =
          check_range(config, "token", regions.tokens, config.shape.vocabulary, "--vocabulary");
      !fits)
    return fits;
  if (const Status fits =
          check_range(config, "label", regions.labels, config.shape.classes, "--classes");
      !fits)
    return fits;
  for (std::int64_t sample = 0; sample < regions.samples(); ++sample)
    if (regions.length_of(sample) > config.positions())
      return wrong(config, fmt::format("sample {} has {} tokens, the model takes {}; raise "
                                       "--longest-sample",
                                       sample, regions.length_of(sample), config.positions()));
  return Done{};
}

Result<Regions> read_regions(const Config& config) {
  const auto all = trainers::read_tensor_file(kKind, config.data);
  if (!all) return all.error();
  const c10::IValue* schema = trainers::find(*all, "schema");
  const at::Tensor lengths = tensor_in(*all, "lengths", at::kLong, 1);
  Regions regions{{},
                  tensor_in(*all, "tokens", at::kLong, 1),
                  tensor_in(*all, "features", at::kFloat, 2),
                  tensor_in(*all, "labels", at::kLong, 1)};
  if (schema == nullptr || !schema->isString() || schema->toStringRef() != kSchema ||
      !lengths.defined() || !regions.tokens.defined() || !regions.features.defined() ||
      !regions.labels.defined())
    return wrong(config, "is no file of regions; --write-data writes one");
  regions.begins = begins_of(lengths);
  if (const Status good = check_regions(config, regions, lengths); !good) return good.error();
  return regions;
}

}  // namespace

std::array<std::int64_t, kRegionsOfSample> Regions::parts_of(std::int64_t sample) const {
  std::array<std::int64_t, kRegionsOfSample> parts{};
  for (std::int64_t i = 0; i < kRegionsOfSample; ++i)
    parts[static_cast<std::size_t>(i)] = begin_of(sample + i + 1) - begin_of(sample + i);
  return parts;
}

Regions Regions::copy() const {
  return {begins, tokens.clone(), features.clone(), labels.clone()};
}

// A region's class shows in half of its tokens, which come from the class's part of the
// vocabulary, and in its vectors, which are moved in the class's direction.
Regions make_regions(const Config& config) {
  using trainers::RandomStream;
  const Shape& shape = config.shape;
  const auto draw = [&config](RandomStream stream) {
    return trainers::seeded_generator(config.seed, stream);
  };
  at::Generator random = draw(RandomStream::activations);
  const std::int64_t count = config.made.samples + kRegionsOfSample - 1;
  const at::TensorOptions whole(at::kLong);
  const at::Tensor lengths = at::randint(config.made.shortest_region,
                                         config.made.longest_region + 1, {count}, random, whole);
  Regions regions{begins_of(lengths), {}, {}, at::randint(shape.classes, {count}, random, whole)};
  const std::int64_t rows = regions.begins.back(), part = shape.vocabulary / shape.classes;
  const at::Tensor classes = at::repeat_interleave(regions.labels, lengths);
  regions.tokens = at::where(at::rand({rows}, random) < 0.5,
                             classes * part + at::randint(part, {rows}, random, whole),
                             at::randint(shape.vocabulary, {rows}, random, whole));
  const at::Tensor directions =
      at::empty({shape.classes, shape.features}).normal_(0, 0.5, draw(RandomStream::directions));
  regions.features = at::empty({rows, shape.features}).normal_(0, 1, random);
  regions.features.add_(directions.index_select(0, classes));
  return regions;
}

Status write_regions(const std::string& path, const Regions& regions) {
  trainers::Dictionary all = trainers::empty_dictionary();
  at::Tensor lengths = at::empty({regions.count()}, at::TensorOptions(at::kLong));
  for (std::int64_t i = 0; i < regions.count(); ++i)
    lengths.mutable_data_ptr<std::int64_t>()[i] = regions.begin_of(i + 1) - regions.begin_of(i);
  all.insert("schema", std::string(kSchema));
  all.insert("lengths", lengths);
  all.insert("tokens", regions.tokens);
  all.insert("features", regions.features);
  all.insert("labels", regions.labels);
  return trainers::write_tensor_file(kKind, path, all);
}

double data_bytes(const Config& config) {
  if (!config.data.empty()) {
    std::error_code missing;  // which reading reports
    const std::uintmax_t size = std::filesystem::file_size(config.data, missing);
    return missing ? 0 : static_cast<double>(size);
  }
  const double rows = 0.5 * static_cast<double>(config.made.samples + kRegionsOfSample - 1) *
                      static_cast<double>(config.made.shortest_region + config.made.longest_region);
  return rows *
         static_cast<double>(sizeof(std::int64_t) +
                             sizeof(float) * static_cast<std::size_t>(config.shape.features));
}

Result<Regions> open_regions(const Config& config) {
  return config.data.empty() ? Result<Regions>(make_regions(config)) : read_regions(config);
}

}  // namespace stepscope::token_pipeline
