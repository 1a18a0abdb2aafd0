// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/activation_files/chunk_index.hpp"

#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>

namespace stepscope::trainers {
namespace {

using Rows = std::map<std::int64_t, std::int64_t>;  // from a chunk's number to its count of rows

struct ChunkEntry {
  std::int32_t chunk, rows;
  std::int64_t offset;
};
struct RowEntry {
  std::uint32_t chunk, row;
};

template <class Entry>
std::vector<Entry> entries(const std::string& bytes) {
  std::vector<Entry> all(bytes.size() / sizeof(Entry));
  std::memcpy(all.data(), bytes.data(), all.size() * sizeof(Entry));
  return all;
}

std::optional<Rows> by_chunk(const std::string& bytes) {
  if (bytes.size() % sizeof(ChunkEntry) != 0) return std::nullopt;
  Rows rows;
  std::int64_t offset = 0;
  for (const ChunkEntry& entry : entries<ChunkEntry>(bytes)) {
    const bool sound = entry.chunk >= 0 && entry.rows > 0 && entry.offset == offset &&
                       rows.emplace(entry.chunk, entry.rows).second;
    if (!sound) return std::nullopt;
    offset += entry.rows;
  }
  return rows;
}

// Each row once: as many rows as the greatest number says.
std::optional<Rows> by_row(const std::string& bytes) {
  if (bytes.size() % sizeof(RowEntry) != 0) return std::nullopt;
  Rows rows;
  std::map<std::int64_t, std::int64_t> greatest;
  for (const RowEntry& entry : entries<RowEntry>(bytes)) {
    ++rows[entry.chunk];
    std::int64_t& most = greatest[entry.chunk];
    most = std::max<std::int64_t>(most, entry.row);
  }
  for (const auto& [chunk, most] : greatest) {
    if (rows[chunk] != most + 1) return std::nullopt;
  }
  return rows;
}

}  // namespace

Result<std::vector<IndexedChunk>> read_index(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return io_error(path + ": cannot be opened");
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::optional<Rows> rows = by_chunk(bytes);
  if (!rows) rows = by_row(bytes);
  if (!rows || rows->empty())
    return bad_input(path +
                     ": it lists neither chunks (chunk, rows, offset) nor each row of each chunk "
                     "once; without this file the chunks are found by their names");
  std::vector<IndexedChunk> chunks;
  for (const auto& [number, count] : *rows) chunks.push_back({number, count});
  return chunks;
}

Status write_index(const std::string& path, const std::vector<IndexedChunk>& chunks) {
  std::ofstream file(path, std::ios::binary);
  std::int64_t offset = 0;
  for (const IndexedChunk& chunk : chunks) {
    const ChunkEntry entry{static_cast<std::int32_t>(chunk.number),
                           static_cast<std::int32_t>(chunk.rows), offset};
    file.write(reinterpret_cast<const char*>(&entry), sizeof entry);
    offset += chunk.rows;
  }
  file.close();
  return file ? Status(Done{}) : Status(io_error(path + ": cannot be written"));
}

}  // namespace stepscope::trainers
