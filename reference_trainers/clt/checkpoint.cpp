// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/checkpoint.hpp"

#include <ATen/core/Dict.h>
#include <ATen/core/grad_mode.h>
#include <ATen/core/ivalue.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/csrc/jit/serialization/pickle.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

namespace stepscope::clt {
namespace {

constexpr const char* kSchema = "stepscope.clt/1";

using Dictionary = c10::Dict<c10::IValue, c10::IValue>;

// What a run's batches depend on, by the flag's name.
std::vector<std::pair<const char*, std::int64_t>> fixed_numbers(const Config& config) {
  return {{"seed", static_cast<std::int64_t>(config.seed)},
          {"batch", config.batch},
          {"rows", config.rows}};
}

Error failed(const std::string& path, const char* what) {
  return bad_input(fmt::format("checkpoint {}: {}: {}", path, what, std::strerror(errno)));
}

// Closes the file in every case.
bool write_all(int file, const std::vector<char>& bytes) {
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t count = write(file, bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    written += static_cast<std::size_t>(count);
  }
  const bool good = written == bytes.size() && fsync(file) == 0;
  const int error = errno;
  const bool closed = close(file) == 0;
  if (!good) errno = error;
  return good && closed;
}

Result<Dictionary> load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return failed(path, "cannot be opened");
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  try {
    const c10::IValue value = torch::jit::pickle_load(bytes);
    if (value.isGenericDict()) return value.toGenericDict();
  } catch (const std::exception&) {  // said below: LibTorch's text has its own source lines
  }
  return bad_input(
      fmt::format("checkpoint {}: it is damaged, or no checkpoint of train_clt", path));
}

// Null where there is none of that name and kind.
const c10::IValue* find(const Dictionary& all, const std::string& name) {
  const auto found = all.find(c10::IValue(name));
  return found == all.end() ? nullptr : &found->value();
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
  return bad_input(fmt::format("checkpoint {}: it is that of rank {} of {}, this is rank {} of {}",
                               path, rank, ranks, part.rank, part.ranks));
}

Status check_numbers(const std::string& path, const Dictionary& all, const Config& config) {
  const c10::IValue* schema = find(all, "schema");
  if (schema == nullptr || !schema->isString() || schema->toStringRef() != kSchema)
    return bad_input(fmt::format("checkpoint {}: its schema is not {}", path, kSchema));
  for (const auto& [name, expected] : fixed_numbers(config)) {
    const c10::IValue* number = find(all, name);
    if (number == nullptr || !number->isInt() || number->toInt() != expected)
      return bad_input(fmt::format(
          "checkpoint {}: it was written with --{} {}, this run has {}", path, name,
          number != nullptr && number->isInt() ? std::to_string(number->toInt()) : "unknown",
          expected));
  }
  return Done{};
}

Status check_tensors(const std::string& path, const Dictionary& all, const TrainerState& state) {
  for (const auto& [name, tensor] : state) {
    const c10::IValue* found = find(all, name);
    if (found == nullptr || !found->isTensor())
      return bad_input(fmt::format(
          "checkpoint {}: it has no tensor {}; was it written with other fixes?", path, name));
    const at::Tensor& other = found->toTensor();
    if (other.sizes() != tensor.sizes() || other.scalar_type() != tensor.scalar_type())
      return bad_input(fmt::format("checkpoint {}: {} is {}, this run's is {}", path, name,
                                   sizes_of(other), sizes_of(tensor)));
  }
  return Done{};
}

}  // namespace

std::string CheckpointPart::path_of(const std::string& checkpoint) const {
  return ranks == 1 ? checkpoint : fmt::format("{}.rank{}of{}", checkpoint, rank, ranks);
}

Status write_checkpoint(const std::string& checkpoint, const Config& config,
                        const TrainerState& state, std::int64_t step, const CheckpointPart& part) {
  const std::string path = part.path_of(checkpoint);
  Dictionary all(c10::AnyType::get(), c10::AnyType::get());
  all.insert(c10::IValue("schema"), c10::IValue(kSchema));
  all.insert(c10::IValue("step"), c10::IValue(step));
  all.insert(c10::IValue("rank"), c10::IValue(std::int64_t{part.rank}));
  all.insert(c10::IValue("ranks"), c10::IValue(std::int64_t{part.ranks}));
  all.insert(c10::IValue("set"), c10::IValue(part.set));
  for (const auto& [name, number] : fixed_numbers(config))
    all.insert(c10::IValue(name), c10::IValue(number));
  for (const auto& [name, tensor] : state)
    all.insert(c10::IValue(name), c10::IValue(tensor.detach().cpu()));
  const std::vector<char> bytes = torch::jit::pickle_save(all);

  const std::string partial = path + ".partial";
  const int file = open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return failed(path, "cannot be written");
  const bool written = write_all(file, bytes);
  if (written && part.all_on_disk) part.all_on_disk();
  if (written && std::rename(partial.c_str(), path.c_str()) == 0) return Done{};
  const Error error = failed(path, "cannot be written");
  (void)unlink(partial.c_str());
  return error;
}

Result<ReadCheckpoint> read_part(const std::string& checkpoint, const Config& config,
                                 const TrainerState& state, const CheckpointPart& part) {
  const std::string path = part.path_of(checkpoint);
  const Result<Dictionary> all = load(path);
  if (!all) return all.error();
  if (const Status fits = check_part(path, *all, part); !fits) return fits.error();
  if (const Status fits = check_numbers(path, *all, config); !fits) return fits.error();
  if (const Status fits = check_tensors(path, *all, state); !fits) return fits.error();
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
