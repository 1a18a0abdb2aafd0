// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/training/checkpoint.hpp"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <vector>

#include "reference_trainers/clt/training/checkpoint_files.hpp"
#include "reference_trainers/common/checkpoint_fields.hpp"

namespace stepscope::clt {
namespace {

using trainers::Dictionary;
using trainers::find;

constexpr const char* kSchema = "stepscope.clt/1";
constexpr const char* kKind = "checkpoint";

// Returns the numbers on which the tensors' sizes and a run's batches depend.
std::array<trainers::RunNumber, 6> fixed_numbers(const Config& config) {
  return {{{"layers", "--layers", config.layers},
           {"features", "--features", config.features},
           {"d_model", "--d-model", config.d_model},
           {"seed", "--seed", static_cast<std::int64_t>(config.seed)},
           {"batch", "--batch", config.batch},
           {"rows", "--rows", config.rows}}};
}

std::string sizes_of(const at::Tensor& tensor) {
  return fmt::format("[{}]", fmt::join(tensor.sizes().begin(), tensor.sizes().end(), ", "));
}

Status check_part(const std::string& path, const Dictionary& all, const CheckpointPart& part) {
  const std::int64_t rank = trainers::number_in(all, "rank", 0),
                     ranks = trainers::number_in(all, "ranks", 1);
  if (rank == part.rank && ranks == part.ranks) return Done{};
  return bad_input(
      fmt::format("checkpoint {}: it is that of rank {} of {}, this is rank {} of {}{}", path, rank,
                  ranks, part.rank, part.ranks,
                  ranks == part.ranks ? "" : fmt::format("; go on with --nproc {}", ranks)));
}

Status check_numbers(const std::string& path, const Dictionary& all, const Config& config) {
  if (!trainers::has_schema(all, kSchema))
    return bad_input(fmt::format("checkpoint {}: its schema is not {}", path, kSchema));
  return trainers::check_run_numbers(path, all, fixed_numbers(config));
}

std::string fixes_text(const Config& config) {
  return fmt::format("{}", fmt::join(names_of(config.fixes), ","));
}

// Those of `names` that `others` lacks, behind the flag.
std::string flag_of_missing(const char* flag, const std::vector<std::string>& names,
                            const std::vector<std::string>& others) {
  std::vector<std::string> missing;
  for (const std::string& name : names) {
    if (std::find(others.begin(), others.end(), name) == others.end()) missing.push_back(name);
  }
  return missing.empty() ? "" : fmt::format(" {} {}", flag, fmt::join(missing, ","));
}

// Returns the flags that give this run the file's fixes.
std::string flags_of_fixes(const Dictionary& all, const Config& config) {
  std::vector<std::string> there;
  std::istringstream names(trainers::text_in(all, "fixes"));
  for (std::string name; std::getline(names, name, ',');) there.push_back(name);
  const std::vector<std::string> here = names_of(config.fixes);
  return flag_of_missing("--with", there, here) + flag_of_missing("--without", here, there);
}

Status check_tensors(const std::string& path, const Dictionary& all, const Config& config,
                     const TrainerState& state) {
  for (const auto& [name, tensor] : state) {
    const c10::IValue* found = find(all, name);
    if (found == nullptr || !found->isTensor())
      return bad_input(fmt::format(
          "checkpoint {}: it has no tensor {}: it was written with other fixes; go on with{}", path,
          name, flags_of_fixes(all, config)));
    const at::Tensor& other = found->toTensor();
    if (other.scalar_type() != tensor.scalar_type())
      return bad_input(
          fmt::format("checkpoint {}: {} is {}, this run's is {}: it was written with other fixes; "
                      "go on with{}",
                      path, name, c10::toString(other.scalar_type()),
                      c10::toString(tensor.scalar_type()), flags_of_fixes(all, config)));
    if (other.sizes() != tensor.sizes())
      return bad_input(fmt::format("checkpoint {}: {} is {}, this run's is {}", path, name,
                                   sizes_of(other), sizes_of(tensor)));
  }
  return Done{};
}

}  // namespace

std::string CheckpointPart::path_of(const std::string& checkpoint) const {
  return part_path(checkpoint, rank, ranks);
}

Status write_checkpoint(const std::string& checkpoint, const Config& config,
                        const TrainerState& state, std::int64_t step, const CheckpointPart& part) {
  const Dictionary all = trainers::checkpoint_fields(kSchema, step, fixed_numbers(config), state);
  all.insert(c10::IValue("rank"), c10::IValue(std::int64_t{part.rank}));
  all.insert(c10::IValue("ranks"), c10::IValue(std::int64_t{part.ranks}));
  all.insert(c10::IValue("set"), c10::IValue(part.set));
  all.insert(c10::IValue("fixes"), c10::IValue(fixes_text(config)));
  return trainers::write_tensor_file(kKind, part.path_of(checkpoint), all, part.all_on_disk);
}

Result<ReadCheckpoint> read_part(const std::string& checkpoint, const Config& config,
                                 const TrainerState& state, const CheckpointPart& part) {
  const std::string path = part.path_of(checkpoint);
  if (const Status found = check_found(checkpoint, part.ranks); !found) return found.error();
  const Result<Dictionary> all = trainers::read_tensor_file(kKind, path);
  if (!all) return all.error();
  if (const Status fits = check_part(path, *all, part); !fits) return fits.error();
  if (const Status fits = check_numbers(path, *all, config); !fits) return fits.error();
  if (const Status fits = check_tensors(path, *all, config, state); !fits) return fits.error();
  const Result<std::int64_t> step = trainers::steps_in(path, *all);
  if (!step) return step.error();
  const at::NoGradGuard no_grad;
  for (const auto& [name, tensor] : state) tensor.copy_(find(*all, name)->toTensor());
  return ReadCheckpoint{*step, trainers::number_in(*all, "set", 0)};
}

Result<std::int64_t> read_checkpoint(const std::string& path, const Config& config,
                                     const TrainerState& state) {
  const Result<ReadCheckpoint> read = read_part(path, config, state, {});
  if (!read) return read.error();
  return read->step;
}

}  // namespace stepscope::clt
