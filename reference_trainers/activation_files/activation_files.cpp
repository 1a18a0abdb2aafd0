// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/activation_files/activation_files.hpp"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>

#include "reference_trainers/activation_files/chunk_file.hpp"
#include "reference_trainers/activation_files/chunk_index.hpp"
#include "reference_trainers/activation_files/element_kind.hpp"

namespace stepscope::trainers {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostRows = std::numeric_limits<std::int32_t>::max();  // as in index.bin

bool is_file(const fs::path& path) {
  std::error_code none;
  return fs::is_regular_file(path, none);
}

// i of chunk_{i}.h5 and chunk_{i}.hdf5.
std::optional<std::int64_t> chunk_number(const fs::path& path) {
  constexpr std::string_view kBegin = "chunk_";
  const std::string extension = path.extension(), stem = path.stem();
  if ((extension != ".h5" && extension != ".hdf5") || !stem.starts_with(kBegin)) return {};
  std::int64_t number = 0;
  const char* const end = stem.data() + stem.size();
  const auto parsed = std::from_chars(stem.data() + kBegin.size(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end || number < 0) return {};
  return number;
}

// Lists the chunks by the files' names; 0 rows: not known yet.
Result<std::vector<IndexedChunk>> named_chunks(const std::string& folder) {
  std::set<std::int64_t> numbers;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
    if (const auto number = chunk_number(entry.path())) numbers.insert(*number);
  }
  if (failed) return io_error(folder + ": " + failed.message());
  if (numbers.empty())
    return bad_input(folder + ": it holds no activations: no chunk_0.h5, no index.bin");
  std::vector<IndexedChunk> chunks;
  for (std::int64_t number = 0; number <= *numbers.rbegin(); ++number) {
    if (!numbers.contains(number))
      return bad_input(fmt::format("{}: chunk_{}.h5 is missing, and chunk_{} is there", folder,
                                   number, *numbers.rbegin()));
    chunks.push_back({number, 0});
  }
  return chunks;
}

// metadata.json, where there is one.
Status check_metadata(const ActivationFiles& files) {
  const std::string path = fs::path(files.folder) / "metadata.json";
  std::error_code none;
  if (!fs::exists(path, none)) return Done{};
  std::ifstream file(path);
  const auto json = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return bad_input(path + ": it is no JSON object");
  const auto number = [&](const char* name) -> std::int64_t {
    const auto found = json.find(name);
    return found != json.end() && found->is_number_integer() ? found->get<std::int64_t>() : -1;
  };
  const std::int64_t layers = number("num_layers"), d_model = number("d_model");
  if (layers < 1 || d_model < 1)
    return bad_input(path + ": num_layers and d_model must be whole numbers above 0");
  if (layers == files.layers && d_model == files.d_model) return Done{};
  return bad_input(
      fmt::format("{}: the store has {} layers of width {}, the run has {} of width {}: give "
                  "--layers {} --d-model {}",
                  path, layers, d_model, files.layers, files.d_model, layers, d_model));
}

Error misfit(const std::string& path, const std::string& dataset, const std::string& what) {
  return bad_input(fmt::format("{}: {}: {}", path, dataset, what));
}

Result<std::unique_ptr<ChunkFile>> open_of_layers(const std::string& path, std::int64_t layers) {
  auto file = open_chunk(path);
  if (!file) return file;
  if (const std::int64_t found = (*file)->layers(); found != layers)
    return bad_input(fmt::format("{}: it has {} layers (groups layer_0 and on), --layers is {}",
                                 path, found, layers));
  return file;
}

// Every dataset's shape, against the first's and the run's; `files.type` is set by the first chunk.
Result<std::int64_t> rows_of(const std::string& path, ActivationFiles& files) {
  const auto file = open_of_layers(path, files.layers);
  if (!file) return file.error();
  std::int64_t rows = 0;
  for (std::int64_t i = 0; i < 2 * files.layers; ++i) {
    const std::string name = dataset_name(i / 2, i % 2);
    const Result<DatasetShape> shape = (*file)->shape(name);
    if (!shape) return shape.error();
    if (i == 0) rows = shape->rows;
    if (i == 0 && files.chunks.empty()) files.type = shape->type;
    if (shape->width != files.d_model)
      return misfit(path, name,
                    fmt::format("its width is {}, --d-model is {}", shape->width, files.d_model));
    if (shape->rows != rows || rows < 1 || rows > kMostRows)
      return misfit(path, name,
                    fmt::format("it has {} rows, layer_0/inputs has {}", shape->rows, rows));
    if (shape->type != files.type)
      return misfit(path, name,
                    fmt::format("it is {}, the store's first dataset is {}", name_of(shape->type),
                                name_of(files.type)));
  }
  return rows;
}

Status add_chunk(const IndexedChunk& chunk, ActivationFiles& files) {
  const fs::path beside = fs::path(files.folder) / fmt::format("chunk_{}", chunk.number);
  std::string path = beside.string() + ".h5";
  if (!is_file(path) && is_file(beside.string() + ".hdf5")) path = beside.string() + ".hdf5";
  if (!is_file(path)) return io_error(path + " (or .hdf5): it is missing; index.bin lists it");
  const Result<std::int64_t> rows = rows_of(path, files);
  if (!rows) return rows.error();
  if (chunk.rows != 0 && chunk.rows != *rows)
    return bad_input(fmt::format("{}: it has {} rows, index.bin says {}", path, *rows, chunk.rows));
  files.chunks.push_back({path, *rows});
  return Done{};
}

}  // namespace

std::int64_t ActivationFiles::rows() const {
  std::int64_t sum = 0;
  for (const Chunk& chunk : chunks) sum += chunk.rows;
  return sum;
}

std::int64_t ActivationFiles::bytes_per_row() const {
  return 2 * layers * d_model * static_cast<std::int64_t>(c10::elementSize(type));
}

Result<ActivationFiles> look_at(const std::string& folder, std::int64_t layers,
                                std::int64_t d_model) {
  if (const Status works = chunk_files_work(); !works) return works.error();
  std::error_code none;
  if (!fs::is_directory(folder, none)) return io_error(folder + ": there is no such folder");
  ActivationFiles files{folder, layers, d_model, at::kFloat, {}};
  if (const Status fits = check_metadata(files); !fits) return fits.error();
  const std::string index = fs::path(folder) / "index.bin";
  const auto chunks = fs::exists(index, none) ? read_index(index) : named_chunks(folder);
  if (!chunks) return chunks.error();
  for (const IndexedChunk& chunk : *chunks) {
    if (const Status added = add_chunk(chunk, files); !added) return added.error();
  }
  return files;
}

}  // namespace stepscope::trainers
