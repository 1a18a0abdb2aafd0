// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/training/checkpoint.hpp"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string_view>

#include "reference_trainers/common/checkpoint_fields.hpp"

namespace stepscope::llm {
namespace {

using trainers::Dictionary;

constexpr const char* kCheckpointSchema = "stepscope.llm/2";
constexpr const char* kCheckpoint = "checkpoint";

// Returns the numbers on which a run's batches depend.
std::array<trainers::RunNumber, 4> run_numbers(const Config& config) {
  return {{{"seed", "--seed", static_cast<std::int64_t>(config.seed)},
           {"sequence", "--sequence", config.sequence},
           {"sequences_a_step", "sequences a step (--micro-batch, --accumulate and ranks)",
            config.sequences_a_step()},
           {"documents", "--documents (0 ignored, 1 masked, 2 packed)",
            static_cast<std::int64_t>(config.documents.treat)}}};
}

Status check_run(const std::string& path, const Dictionary& all, const Config& config) {
  if (!trainers::has_schema(all, kCheckpointSchema))
    return bad_input(
        fmt::format("checkpoint {}: it is not one of train_llm ({})", path, kCheckpointSchema));
  return trainers::check_run_numbers(path, all, run_numbers(config));
}

std::string rungs_in(const Dictionary& all) {
  const std::string rungs = trainers::text_in(all, "rungs");
  return trainers::find(all, "rungs") == nullptr ? "unknown" : rungs;
}

// Scales of 8 bits, of a run that began without them: its first step measures them.
bool may_be_missing(std::string_view name) {
  return name.starts_with("fp8.");
}

Status check_state(const std::string& path, const Dictionary& all, const TrainingState& state) {
  for (const auto& [name, tensor] : state) {
    const c10::IValue* found = trainers::find(all, name);
    if (found == nullptr && may_be_missing(name)) continue;
    if (found == nullptr || !found->isTensor())
      return bad_input(
          fmt::format("checkpoint {}: it has no tensor {}; it was written with the "
                      "rungs {} or another preset: go on with the same",
                      path, name, rungs_in(all)));
    if (found->toTensor().sizes() != tensor.sizes())
      return bad_input(fmt::format(
          "checkpoint {}: {} is [{}], this run's is [{}]; go on with the "
          "preset that wrote it",
          path, name, fmt::join(found->toTensor().sizes(), ", "), fmt::join(tensor.sizes(), ", ")));
  }
  return Done{};
}

}  // namespace

Status write_checkpoint(const std::string& path, const Config& config, const TrainingState& state,
                        std::int64_t steps) {
  const Dictionary all =
      trainers::checkpoint_fields(kCheckpointSchema, steps, run_numbers(config), state);
  all.insert(c10::IValue("rungs"),
             c10::IValue(fmt::format("{}", fmt::join(names_of(config.rungs), ","))));
  return trainers::write_tensor_file(kCheckpoint, path, all);
}

Result<std::int64_t> read_checkpoint(const std::string& path, const Config& config,
                                     const TrainingState& state) {
  const Result<Dictionary> all = trainers::read_tensor_file(kCheckpoint, path);
  if (!all) return all.error();
  if (const Status fits = check_run(path, *all, config); !fits) return fits.error();
  if (const Status fits = check_state(path, *all, state); !fits) return fits.error();
  const Result<std::int64_t> steps = trainers::steps_in(path, *all);
  if (!steps) return steps.error();
  const at::NoGradGuard no_grad;
  for (const auto& [name, tensor] : state) {
    const c10::IValue* found = trainers::find(*all, name);
    if (found != nullptr) tensor.copy_(found->toTensor());
  }
  return *steps;
}

}  // namespace stepscope::llm
