// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/activation_files/norm_stats.hpp"

#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

namespace stepscope::trainers {
namespace {

using Json = nlohmann::json;

constexpr std::array kSides{"inputs", "targets"};

NormStats empty_stats(std::int64_t layers, std::int64_t d_model) {
  return {at::empty({2, layers, d_model}), at::empty({2, layers, d_model})};
}

// Whether `from` is an array of as many finite numbers, none below `least`.
bool read_numbers(const Json& from, const at::Tensor& into, double least) {
  if (!from.is_array() || from.size() != static_cast<std::size_t>(into.numel())) return false;
  float* out = into.mutable_data_ptr<float>();
  for (const Json& number : from) {
    if (!number.is_number()) return false;
    *out = number.get<float>();
    if (!std::isfinite(*out) || *out < least) return false;
    ++out;
  }
  return true;
}

// Returns the entry at a path of keys; null where there is none.
const Json& entry_of(const Json& from, const std::string& layer, const char* side,
                     const char* field) {
  static const Json kNone;
  const auto sides = from.find(layer);
  if (sides == from.end() || !sides->is_object()) return kNone;
  const auto fields = sides->find(side);
  if (fields == sides->end() || !fields->is_object()) return kNone;
  const auto found = fields->find(field);
  return found == fields->end() ? kNone : *found;
}

std::vector<float> numbers(const at::Tensor& from) {
  const at::Tensor plain = from.contiguous();
  return {plain.const_data_ptr<float>(), plain.const_data_ptr<float>() + plain.numel()};
}

}  // namespace

Result<NormStats> read_norm_stats(const std::string& path, std::int64_t layers,
                                  std::int64_t d_model) {
  std::ifstream file(path);
  if (!file) return io_error(path + ": cannot be opened");
  const Json json = Json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return bad_input(path + ": it is no JSON object (NaN is no JSON)");
  if (json.size() != static_cast<std::size_t>(layers))
    return bad_input(fmt::format("{}: it is of {} layers, not of {}", path, json.size(), layers));
  NormStats stats = empty_stats(layers, d_model);
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    for (std::size_t side = 0; side < kSides.size(); ++side) {
      const auto check = [&](const char* field, const at::Tensor& all, double least) -> Status {
        const at::Tensor into = all[static_cast<std::int64_t>(side)][layer];
        const std::string key = std::to_string(layer);
        if (read_numbers(entry_of(json, key, kSides[side], field), into, least)) return Done{};
        return bad_input(fmt::format("{}: {}.{}.{} is not {} finite numbers{}", path, key,
                                     kSides[side], field, d_model,
                                     least < 0 ? "" : " of 0 or more"));
      };
      if (const Status mean = check("mean", stats.mean, -INFINITY); !mean) return mean.error();
      if (const Status std = check("std", stats.std, 0); !std) return std.error();
    }
  }
  return stats;
}

Status write_norm_stats(const std::string& path, const NormStats& stats) {
  nlohmann::ordered_json json;
  for (std::int64_t layer = 0; layer < stats.mean.size(1); ++layer) {
    for (std::size_t side = 0; side < kSides.size(); ++side) {
      const auto place = static_cast<std::int64_t>(side);
      json[std::to_string(layer)][kSides[side]] = {{"mean", numbers(stats.mean[place][layer])},
                                                   {"std", numbers(stats.std[place][layer])}};
    }
  }
  std::ofstream file(path);
  file << json.dump() << '\n';
  file.close();
  return file ? Status(Done{}) : Status(io_error(path + ": cannot be written"));
}

}  // namespace stepscope::trainers
