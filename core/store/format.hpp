// SPDX-License-Identifier: Apache-2.0
// The constants and fixed-size headers of a store file; FORMAT.md is the specification.
// All integers are little-endian.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace stepscope::store {

inline constexpr std::array<std::uint8_t, 8> kFileMagic = {0x89, 'S',  'S',  'T',
                                                           '\r', '\n', 0x1a, '\n'};
inline constexpr std::uint16_t kMajorVersion = 1;
inline constexpr std::uint16_t kMinorVersion = 4;
inline constexpr std::size_t kFileHeaderBytes = 24;

inline constexpr std::array<std::uint8_t, 4> kChunkMagic = {0xf5, 'S', 'C', 'K'};
inline constexpr std::size_t kChunkHeaderBytes = 64;
inline constexpr std::uint32_t kMaxRawBytes = 64U << 20U;
// A payload that would inflate further than this is stored plain: a reader refuses it as a bomb.
inline constexpr std::uint32_t kMaxInflation = 128;

enum class ChunkType : std::uint16_t { data = 1, footer = 2 };

enum class Section : std::uint16_t {
  strings = 1,
  processes,
  facts,
  threads,
  streams,
  names,
  sites,
  launch_configs,
  devices,
  clocks,
  collected,
  health,
  rivals,
  notes,
  host_ranges = 16,
  calls,
  device_ops,
  syncs,
  counters,
  marks,
  open_ranges,
  late_ends,
  graph_nodes,
  collectives,
  samples,
  loop_positions,
  exit = 32,
};

enum class Encoding : std::uint8_t {
  constant = 0,      // one varint for all rows
  plain = 1,         // a varint a row
  delta = 2,         // zigzag of the difference to the row before
  sparse_delta = 3,  // 0, or 1 + zigzag of the difference to the last row that was not 0
  bytes = 4,         // a byte a row
  words = 5,         // 8 bytes a row
  chained = 6,       // begins: gap to the end of the row before, else the difference of begins
};

struct ChunkHeader {
  std::uint16_t type = 0;
  std::uint8_t codec = 0;
  std::uint32_t stored_bytes = 0;
  std::uint32_t raw_bytes = 0;
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;
  std::uint32_t session = 0;
  std::uint32_t sequence = 0;
  std::uint32_t host_rows = 0;
  std::uint32_t call_rows = 0;
  std::uint32_t device_rows = 0;
  std::uint32_t other_rows = 0;
  std::uint32_t payload_crc = 0;
  std::uint32_t header_crc = 0;
};

// Calls visit(field) for each header field in file order, with the magic and the reserved byte left
// out.
template <class Header, class Visit>
void chunk_header_fields(Header& h, Visit&& visit) {
  visit(4, h.type), visit(6, h.codec), visit(8, h.stored_bytes), visit(12, h.raw_bytes);
  visit(16, h.first_ns), visit(24, h.last_ns), visit(32, h.session), visit(36, h.sequence);
  visit(40, h.host_rows), visit(44, h.call_rows), visit(48, h.device_rows), visit(52, h.other_rows);
  visit(56, h.payload_crc), visit(60, h.header_crc);
}

// The integers are copied as they lie in memory.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the store needs a little-endian machine");

template <class T>
T load_as(const std::uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

inline std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63);
}

inline std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1U) ^ (~(value & 1U) + 1U));
}

// Differences wrap, so that every pair of values has one.
inline std::int64_t wrapping_difference(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::int64_t>(a - b);
}

// CRC-32C (Castagnoli, reflected polynomial 0x82f63b78, initial value and final xor all ones), by
// the processor's instruction where it has one. crc32c("123456789") == 0xe3069283.

std::uint32_t crc32c(const void* data, std::size_t bytes);

// The same by table, for machines without the instruction (and to test the other against).
std::uint32_t crc32c_by_table(const void* data, std::size_t bytes);

}  // namespace stepscope::store
