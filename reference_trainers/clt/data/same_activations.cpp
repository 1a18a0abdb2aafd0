// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/data/same_activations.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/tensor.h>
#include <fmt/format.h>

#include <functional>
#include <string>
#include <vector>

namespace stepscope::clt {
namespace {

at::Tensor normalisation_of(const ActivationStore& store) {
  std::vector<at::Tensor> all;
  for (const Normalisation& layer : store.target_normalisation())
    all.insert(all.end(), {layer.mean, layer.std});
  return at::cat(all);
}

}  // namespace

Status check_same_activations(const Config& config, trainers::Comm& comm,
                              const ActivationStore& store) {
  if (config.data.empty() || comm.size() == 1) return Done{};
  const at::Tensor own = normalisation_of(store);
  const auto fingerprint = static_cast<std::int64_t>(std::hash<std::string>()(store.about()));
  const at::Tensor numbers =
      comm.all_gather(at::tensor({store.rows(), fingerprint}, at::kLong).to(own.device())).cpu();
  const at::Tensor normalisations = comm.all_gather(own).cpu();
  for (std::int64_t rank = 1; rank < comm.size(); ++rank) {
    if (numbers[rank].equal(numbers[0]) && at::allclose(normalisations[rank], normalisations[0]))
      continue;
    return bad_input(fmt::format(
        "{}: rank {} finds other activations there than rank 0: every rank must read the same",
        config.data, rank));
  }
  return Done{};
}

}  // namespace stepscope::clt
