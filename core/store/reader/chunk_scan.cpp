// SPDX-License-Identifier: Apache-2.0
#include "core/store/reader/chunk_scan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/store/format.hpp"

namespace stepscope::store {
namespace {

// Returns where the chunks begin; an error where the file is no store file.
Result<std::size_t> check_file_header(Bytes file, const std::string& name, bool& damaged) {
  if (file.empty()) {
    return bad_input(name + " is empty: the process recorded nothing, or its disk was full");
  }
  const std::size_t magic_bytes = std::min(file.size(), kFileMagic.size());
  if (!std::equal(kFileMagic.begin(), kFileMagic.begin() + static_cast<std::ptrdiff_t>(magic_bytes),
                  file.begin())) {
    return bad_input(name +
                     " is no stepscope store file (its first 8 bytes are others); "
                     "give a .scope folder, an .sst file or a Kineto .json[.gz]");
  }
  if (file.size() < kFileHeaderBytes) {
    return bad_input(
        fmt::format("{} is too short for a header: {} of {} bytes; the process died or "
                    "its disk was full before it recorded anything",
                    name, file.size(), kFileHeaderBytes));
  }
  const auto header_bytes = load_as<std::uint32_t>(file.data() + 12);
  const bool length_sound = header_bytes >= kFileHeaderBytes && header_bytes <= file.size();
  damaged = !length_sound || load_as<std::uint32_t>(file.data() + header_bytes - 4) !=
                                 crc32c(file.data(), header_bytes - 4);
  if (damaged) return kFileHeaderBytes;
  const auto major = load_as<std::uint16_t>(file.data() + 8);
  if (major != kMajorVersion) {
    return Error{ErrorCode::unsupported,
                 fmt::format("{} is in store format {}, this build reads format {}: "
                             "use the stepscope that wrote it, or a newer one",
                             name, major, kMajorVersion)};
  }
  return std::size_t{header_bytes};
}

// checked: bytes whose checksum was made for nothing so far, and is added to.
bool read_chunk(Bytes file, std::size_t offset, Chunk& chunk, std::uint64_t& checked) {
  if (file.size() - offset < kChunkHeaderBytes) return false;
  const std::uint8_t* at = file.data() + offset;
  if (!std::equal(kChunkMagic.begin(), kChunkMagic.end(), at)) return false;
  chunk_header_fields(chunk.header, [at](int where, auto& field) {
    field = load_as<std::remove_reference_t<decltype(field)>>(at + where);
  });
  const ChunkHeader& h = chunk.header;
  if (h.header_crc != crc32c(at, kChunkHeaderBytes - 4)) return false;
  if (h.stored_bytes >
      std::min<std::size_t>(file.size() - offset - kChunkHeaderBytes, kMaxRawBytes))
    return false;
  chunk.offset = offset;
  chunk.payload = file.subspan(offset + kChunkHeaderBytes, h.stored_bytes);
  if (h.payload_crc == crc32c(chunk.payload.data(), chunk.payload.size())) return true;
  checked += chunk.payload.size();
  return false;
}

std::size_t next_magic(Bytes file, std::size_t from) {
  const auto found = std::search(file.begin() + static_cast<std::ptrdiff_t>(from), file.end(),
                                 kChunkMagic.begin(), kChunkMagic.end());
  return static_cast<std::size_t>(found - file.begin());
}

}  // namespace

Result<Scan> scan_chunks(Bytes file, const std::string& name) {
  Scan scan;
  const Result<std::size_t> start = check_file_header(file, name, scan.header_damaged);
  if (!start.ok()) return start.error();
  // A file of nothing but headers must not have the rest of it checked for each.
  constexpr std::uint64_t kMostRounds = 8;
  std::uint64_t checked = 0;
  bool in_damage = false;
  for (std::size_t at = *start; at < file.size();) {
    Chunk chunk;
    if (checked <= kMostRounds * file.size() && read_chunk(file, at, chunk, checked)) {
      in_damage = false;
      at += kChunkHeaderBytes + chunk.payload.size();
      scan.chunks.push_back(chunk);
      continue;
    }
    if (!in_damage && scan.damaged_stretches++ == 0) scan.first_damage = at;
    in_damage = true;
    const std::size_t next = next_magic(file, at + 1);
    scan.lost_bytes += next - at;
    at = next;
  }
  scan.torn_tail = in_damage;
  return scan;
}

}  // namespace stepscope::store
