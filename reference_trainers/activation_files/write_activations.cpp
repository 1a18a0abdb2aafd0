// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/activation_files/write_activations.hpp"

#include <ATen/ops/stack.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "reference_trainers/activation_files/chunk_file.hpp"
#include "reference_trainers/activation_files/chunk_index.hpp"
#include "reference_trainers/activation_files/element_kind.hpp"
#include "reference_trainers/activation_files/norm_stats.hpp"

namespace stepscope::trainers {
namespace {

namespace fs = std::filesystem;

Status make_empty_folder(const std::string& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return io_error(folder + ": cannot be made: " + failed.message());
  if (!fs::is_empty(folder, failed) || failed)
    return io_error(folder + ": it is not empty; activations are written to a new folder");
  return Done{};
}

NamedRows chunk_of(const NewActivations& all, std::int64_t first, std::int64_t end) {
  NamedRows rows;
  for (std::size_t layer = 0; layer < all.inputs.size(); ++layer) {
    const auto number = static_cast<std::int64_t>(layer);
    rows.emplace_back(dataset_name(number, 0), all.inputs[layer].slice(0, first, end).to(all.type));
    rows.emplace_back(dataset_name(number, 1),
                      all.targets[layer].slice(0, first, end).to(all.type));
  }
  return rows;
}

// Computes the statistics of the values as they are read back, after rounding to the stored type.
NormStats stats_of(const NewActivations& all) {
  std::vector<at::Tensor> mean, std;
  for (const std::vector<at::Tensor>* side : {&all.inputs, &all.targets}) {
    for (const at::Tensor& layer : *side) {
      const at::Tensor stored = layer.to(all.type).to(at::kFloat);
      mean.push_back(stored.mean(0));
      std.push_back(stored.std(0));
    }
  }
  const auto layers = static_cast<std::int64_t>(all.inputs.size());
  const std::int64_t width = all.inputs.front().size(1);
  return {at::stack(mean).view({2, layers, width}), at::stack(std).view({2, layers, width})};
}

Status write_metadata(const std::string& path, const NewActivations& all, std::int64_t chunk_rows) {
  const nlohmann::ordered_json json{{"num_layers", all.inputs.size()},
                                    {"d_model", all.inputs.front().size(1)},
                                    {"dtype", name_of(all.type)},
                                    {"total_tokens", all.inputs.front().size(0)},
                                    {"chunk_tokens", chunk_rows}};
  std::ofstream file(path);
  file << json.dump(2) << '\n';
  file.close();
  return file ? Status(Done{}) : Status(io_error(path + ": cannot be written"));
}

}  // namespace

Status write_activations(const std::string& folder, const NewActivations& all) {
  if (Status works = chunk_files_work(); !works) return works;
  if (Status made = make_empty_folder(folder); !made) return made;
  const fs::path place(folder);
  const std::int64_t rows = all.inputs.front().size(0);
  const std::int64_t chunk_rows = all.chunk_rows > 0 ? all.chunk_rows : rows;
  std::vector<IndexedChunk> chunks;
  for (std::int64_t first = 0; first < rows; first += chunk_rows) {
    const auto number = static_cast<std::int64_t>(chunks.size());
    const std::int64_t end = std::min(rows, first + chunk_rows);
    const std::string path = place / ("chunk_" + std::to_string(number) + ".h5");
    if (Status written = write_chunk(path, chunk_of(all, first, end)); !written) return written;
    chunks.push_back({number, end - first});
  }
  if (Status written = write_norm_stats(place / "norm_stats.json", stats_of(all)); !written)
    return written;
  if (Status written = write_metadata(place / "metadata.json", all, chunk_rows); !written)
    return written;
  return write_index(place / "index.bin", chunks);
}

}  // namespace stepscope::trainers
