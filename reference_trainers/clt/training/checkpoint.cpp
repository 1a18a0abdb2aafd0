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
#include "reference_trainers/common/tensor_file.hpp"

namespace stepscope::clt {
namespace {

using trainers::Dictionary;
using trainers::find;

constexpr const char* kSchema = "stepscope.clt/1";
constexpr const char* kKind = "checkpoint";

// What the tensors' sizes and a run's batches depend on.
struct FixedNumber {
  const char *name, *flag;
  std::int64_t value;
};
std::array<FixedNumber, 6> fixed_numbers(const Config& config) {
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

// Of a file that has none: `otherwise`.
std::int64_t number_of(const Dictionary& all, const char* name, std::int64_t otherwise) {
  const c10::IValue* number = find(all, name);
  return number != nullptr && number->isInt() ? number->toInt() : otherwise;
}

Status check_part(const std::string& path, const Dictionary& all, const CheckpointPart& part) {
  const std::int64_t rank = number_of(all, "rank", 0), ranks = number_of(all, "ranks", 1);
  if (rank == part.rank && ranks == part.ranks) return Done{};
  return bad_input(
      fmt::format("checkpoint {}: it is that of rank {} of {}, this is rank {} of {}{}", path, rank,
                  ranks, part.rank, part.ranks,
                  ranks == part.ranks ? "" : fmt::format("; go on with --nproc {}", ranks)));
}

Status check_numbers(const std::string& path, const Dictionary& all, const Config& config) {
  const c10::IValue* schema = find(all, "schema");
  if (schema == nullptr || !schema->isString() || schema->toStringRef() != kSchema)
    return bad_input(fmt::format("checkpoint {}: its schema is not {}", path, kSchema));
  for (const auto& [name, flag, expected] : fixed_numbers(config)) {
    const c10::IValue* number = find(all, name);
    if (number == nullptr || !number->isInt() || number->toInt() != expected)
      return bad_input(fmt::format(
          "checkpoint {}: it was written with {} {}, this run has {}", path, flag,
          number != nullptr && number->isInt() ? std::to_string(number->toInt()) : "unknown",
          expected));
  }
  return Done{};
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

// To this run's flags, for it to have the file's fixes.
std::string flags_of_fixes(const Dictionary& all, const Config& config) {
  const c10::IValue* text = find(all, "fixes");
  std::vector<std::string> there;
  std::istringstream names(text != nullptr && text->isString() ? text->toStringRef() : "");
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
    if (other.sizes() != tensor.sizes() || other.scalar_type() != tensor.scalar_type())
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
  const Dictionary all = trainers::empty_dictionary();
  all.insert(c10::IValue("schema"), c10::IValue(kSchema));
  all.insert(c10::IValue("step"), c10::IValue(step));
  all.insert(c10::IValue("rank"), c10::IValue(std::int64_t{part.rank}));
  all.insert(c10::IValue("ranks"), c10::IValue(std::int64_t{part.ranks}));
  all.insert(c10::IValue("set"), c10::IValue(part.set));
  all.insert(c10::IValue("fixes"), c10::IValue(fixes_text(config)));
  for (const auto& [name, flag, number] : fixed_numbers(config))
    all.insert(c10::IValue(name), c10::IValue(number));
  for (const auto& [name, tensor] : state)
    all.insert(c10::IValue(name), c10::IValue(tensor.detach().cpu()));
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
  const c10::IValue* step = find(*all, "step");
  if (step == nullptr || !step->isInt() || step->toInt() < 0)
    return bad_input(fmt::format("checkpoint {}: it does not say how many steps were made", path));
  const at::NoGradGuard no_grad;
  for (const auto& [name, tensor] : state) tensor.copy_(find(*all, name)->toTensor());
  return ReadCheckpoint{step->toInt(), number_of(*all, "set", 0)};
}

Result<std::int64_t> read_checkpoint(const std::string& path, const Config& config,
                                     const TrainerState& state) {
  const Result<ReadCheckpoint> read = read_part(path, config, state, {});
  if (!read) return read.error();
  return read->step;
}

}  // namespace stepscope::clt
