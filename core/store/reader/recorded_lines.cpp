// SPDX-License-Identifier: Apache-2.0
#include "core/store/reader/recorded_lines.hpp"

#include <zstd.h>

#include <fstream>
#include <vector>

#include "core/store/reader/chunk_scan.hpp"
#include "core/store/writer/writer.hpp"

namespace stepscope {
namespace {

using namespace store;

constexpr std::size_t kMostBytes =
    64U << 20U;  // length of the first part of a store, which is all that is read

bool inflate(const Chunk& chunk, std::vector<std::uint8_t>& raw) {
  const ChunkHeader& h = chunk.header;
  if (h.raw_bytes > kMaxRawBytes) return false;
  raw.resize(h.raw_bytes);
  if (h.codec == static_cast<std::uint8_t>(Codec::none)) {
    raw.assign(chunk.payload.begin(), chunk.payload.end());
    return true;
  }
  return h.codec == static_cast<std::uint8_t>(Codec::zstd) &&
         ZSTD_decompress(raw.data(), raw.size(), chunk.payload.data(), chunk.payload.size()) ==
             raw.size();
}

void read_strings(ByteSource in, std::map<std::uint64_t, std::string>& strings) {
  const std::uint64_t first = in.varint(), count = in.varint();
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) strings[first + i] = in.text();
}

void read_sites(ByteSource in, const std::map<std::uint64_t, std::string>& strings,
                RecordedLines& out) {
  in.varint();
  const std::uint64_t count = in.varint();
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    const auto file = strings.find(in.varint());
    const std::uint32_t line = in.varint32();
    in.varint();
    in.get<std::uint8_t>();
    if (in.ok() && line > 0 && file != strings.end() && !file->second.empty())
      out.lines[file->second].insert(line);
  }
}

void read_chunk(Bytes raw, std::map<std::uint64_t, std::string>& strings, RecordedLines& out) {
  ByteSource source(raw);
  while (source.more()) {
    const auto id = source.get<Section>();
    const Bytes section = source.take(source.get<std::uint32_t>());
    if (!source.ok()) return;
    if (id == Section::strings) read_strings(ByteSource(section), strings);
    if (id == Section::sites) read_sites(ByteSource(section), strings, out);
  }
}

Result<std::vector<std::uint8_t>> first_part(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return io_error("cannot open " + path.string());
  std::vector<std::uint8_t> bytes(kMostBytes);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

}  // namespace

Result<RecordedLines> read_recorded_lines(const std::filesystem::path& path) {
  const Result<std::vector<std::uint8_t>> bytes = first_part(path);
  if (!bytes) return bytes.error();
  const Result<Scan> scan = scan_chunks(*bytes, path.string());
  if (!scan) return scan.error();
  RecordedLines out;
  std::map<std::uint32_t, std::map<std::uint64_t, std::string>> strings;  // by session
  std::vector<std::uint8_t> raw;
  for (const Chunk& chunk : scan->chunks) {
    const std::int64_t first = chunk.header.first_ns;
    if (first != 0 && (out.first_ns == 0 || first < out.first_ns)) out.first_ns = first;
    if (inflate(chunk, raw)) read_chunk(raw, strings[chunk.header.session], out);
  }
  return out;
}

}  // namespace stepscope
