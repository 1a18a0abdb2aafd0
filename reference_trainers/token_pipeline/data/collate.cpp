// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/token_pipeline/data/collate.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>

#include <algorithm>

namespace stepscope::token_pipeline {
namespace {

const at::TensorOptions kWhole(at::kLong);

at::Tensor one_number(std::int64_t number) {
  return at::full({1}, number, kWhole);
}

// The numbers of a batch that grows sample by sample.
struct Growing {
  at::Tensor tokens = at::empty({0}, kWhole), kinds = tokens, positions = tokens, slots = tokens;
  at::Tensor lengths = tokens, labels = tokens, features;

  static void append(at::Tensor& to, const at::Tensor& more) { to = at::cat({to, more}); }

  void append(const Regions& regions, std::int64_t sample, std::int64_t first_slot) {
    const std::int64_t begin = regions.begin_of(sample), length = regions.length_of(sample);
    at::Tensor own_tokens = at::empty({0}, kWhole), own_kinds = own_tokens;
    for (std::int64_t i = 0; i < kRegionsOfSample; ++i) {
      const std::int64_t from = regions.begin_of(sample + i);
      const std::int64_t count = regions.begin_of(sample + i + 1) - from;
      append(own_tokens, regions.tokens.narrow(0, from, count));
      append(own_kinds, at::full({count}, i, kWhole));
    }
    append(tokens, own_tokens);
    append(kinds, own_kinds);
    append(positions, at::arange(length, kWhole));
    append(slots, at::arange(first_slot, first_slot + length, kWhole));
    append(lengths, one_number(length));
    append(labels, regions.labels.narrow(0, sample + 1, 1));
    append(features, regions.features.narrow(0, begin, length));
  }
};

// Calls `each` with a part, the place of a sample in it, and the sample.
template <class Each>
void for_each_sample(const StepPlan& plan, const Each& each) {
  for (const Part& part : plan.parts)
    for (std::int64_t i = 0; i < part.samples; ++i)
      each(part, i, plan.samples[static_cast<std::size_t>(part.first_sample + i)]);
}

std::vector<std::array<std::int64_t, kRegionsOfSample>> regions_of(const Regions& regions,
                                                                   const StepPlan& plan) {
  std::vector<std::array<std::int64_t, kRegionsOfSample>> out;
  for (const std::int64_t sample : plan.samples) out.push_back(regions.parts_of(sample));
  return out;
}

std::int64_t longest_sample(const Regions& regions) {
  std::int64_t longest = 0;
  for (std::int64_t sample = 0; sample < regions.samples(); ++sample)
    longest = std::max(longest, regions.length_of(sample));
  return longest;
}

// Where the next number of each field of a batch goes.
struct Places {
  Places(std::int64_t* numbers, std::int64_t rows, std::int64_t samples)
      : tokens(numbers),
        kinds(tokens + rows),
        positions(kinds + rows),
        slots(positions + rows),
        lengths(slots + rows),
        labels(lengths + samples) {}

  std::int64_t *tokens, *kinds, *positions, *slots, *lengths, *labels;

  void write(const Regions& regions, std::int64_t sample, std::int64_t first_slot) {
    const std::int64_t length = regions.length_of(sample);
    tokens = std::copy_n(regions.tokens.const_data_ptr<std::int64_t>() + regions.begin_of(sample),
                         length, tokens);
    for (std::int64_t i = 0; const std::int64_t part : regions.parts_of(sample))
      kinds = std::fill_n(kinds, part, i++);
    for (std::int64_t i = 0; i < length; ++i) *positions++ = i, *slots++ = first_slot + i;
    *lengths++ = length;
    *labels++ = regions.labels.const_data_ptr<std::int64_t>()[sample + 1];
  }
};

}  // namespace

Batch collate_by_concatenation(const Regions& regions, StepPlan plan) {
  Growing all;
  all.features = at::empty({0, regions.features.size(1)});
  for_each_sample(plan, [&](const Part& part, std::int64_t place, std::int64_t sample) {
    all.append(regions, sample, place * part.longest);
  });
  Batch batch{.plan = std::move(plan), .regions = {}, .numbers = {}, .features = all.features};
  batch.regions = regions_of(regions, batch.plan);
  batch.numbers =
      at::cat({all.tokens, all.kinds, all.positions, all.slots, all.lengths, all.labels});
  return batch;
}

InPlaceCollator::InPlaceCollator(const Regions& regions, std::int64_t samples, bool pinned)
    : most_rows_(samples * longest_sample(regions)),
      numbers_(at::kLong, pinned),
      features_(at::kFloat, pinned) {}

Batch InPlaceCollator::collate(const Regions& regions, StepPlan plan) {
  const std::int64_t width = regions.features.size(1), rows = plan.rows;
  Batch batch{.plan = std::move(plan), .regions = {}, .numbers = {}, .features = {}};
  batch.regions = regions_of(regions, batch.plan);
  batch.numbers =
      numbers_.take(4 * most_rows_ + 2 * batch.count()).narrow(0, 0, 4 * rows + 2 * batch.count());
  batch.features =
      features_.take(most_rows_ * width).narrow(0, 0, rows * width).view({rows, width});
  Places places(batch.numbers.mutable_data_ptr<std::int64_t>(), rows, batch.count());
  auto* feature = batch.features.mutable_data_ptr<float>();
  const auto* from = regions.features.const_data_ptr<float>();
  for_each_sample(batch.plan, [&](const Part& part, std::int64_t place, std::int64_t sample) {
    places.write(regions, sample, place * part.longest);
    feature = std::copy_n(from + regions.begin_of(sample) * width,
                          regions.length_of(sample) * width, feature);
  });
  return batch;
}

}  // namespace stepscope::token_pipeline
