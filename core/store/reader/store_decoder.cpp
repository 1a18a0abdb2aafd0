// SPDX-License-Identifier: Apache-2.0
#include "core/store/reader/store_decoder.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>

#include "core/model/losses.hpp"
#include "core/store/reader/decode_table.hpp"
#include "core/store/reader/event_sections.hpp"
#include "core/store/reader/lost_chunks.hpp"
#include "core/store/reader/reader_parts.hpp"
#include "core/store/writer/writer.hpp"
#include "core/support/memory_limit.hpp"

namespace stepscope::store {
namespace {

struct Totals {
  std::uint64_t host = 0;
  std::uint64_t calls = 0;
  std::uint64_t device = 0;
  std::uint64_t other = 0;
  std::uint64_t sum() const { return host + calls + device + other; }
};

// Every table has a byte a row or more in its payload, so a header that promises more rows lies.
bool is_plausible(const ChunkHeader& h) {
  const std::uint64_t rows =
      std::uint64_t{h.host_rows} + h.call_rows + h.device_rows + h.other_rows;
  return h.raw_bytes <= kMaxRawBytes && rows <= h.raw_bytes &&
         h.raw_bytes <= std::uint64_t{h.stored_bytes} * kMaxInflation;
}

Totals totals_of(const std::vector<Scan>& scans) {
  Totals totals;
  for (const Scan& scan : scans) {
    for (const Chunk& chunk : scan.chunks) {
      const ChunkHeader& h = chunk.header;
      if (!is_plausible(h)) continue;
      totals.host += h.host_rows;
      totals.calls += h.call_rows;
      totals.device += h.device_rows;
      totals.other += h.other_rows;
    }
  }
  return totals;
}

template <class Table>
void reserve(Table& table, std::size_t rows) {
  for_each_column(table, [rows](auto& column) { column.reserve(rows); });
}

void add(Health& sum, const Health& part) {
  std::vector<std::int64_t> values;
  health_counters(part, [&values](auto v) { values.push_back(static_cast<std::int64_t>(v)); });
  auto next = values.begin();
  health_counters(sum, [&next](auto& v) {
    v = static_cast<std::remove_reference_t<decltype(v)>>(static_cast<std::uint64_t>(v) +
                                                          static_cast<std::uint64_t>(*next++));
  });
}

Collected unite(const Collected& a, const Collected& b) {
  return collected_of(bits_of(a) | bits_of(b));
}

std::uint64_t missing_chunks(const std::map<std::uint32_t, Session>& sessions) {
  std::uint64_t missing = 0;
  for (const auto& [id, session] : sessions) {
    const std::uint64_t written = std::uint64_t{session.last_sequence} + 1;
    missing += written > session.chunks ? written - session.chunks : 0;
  }
  return missing;
}

void note_damage(const Scan& scan, std::uint64_t lost_chunks, const std::string& name,
                 Health& health) {
  if (scan.header_damaged)
    health.notes.push_back(name + ": the file header is damaged; read as format 1");
  if (scan.lost_bytes == 0 && lost_chunks == 0) return;
  health.notes.push_back(
      scan.lost_bytes == 0
          ? fmt::format("{}: {} chunk{} missing", name, lost_chunks,
                        lost_chunks == 1 ? " is" : "s are")
          : fmt::format("{}: {} damaged or cut chunk{}, {} bytes, left out; the first at byte {}",
                        name, lost_chunks, lost_chunks == 1 ? "" : "s", scan.lost_bytes,
                        scan.first_damage));
}

}  // namespace

StoreDecoder::StoreDecoder() : zstd_(ZSTD_createDCtx()) {
  data_.source = SourceKind::stepscope;
}
StoreDecoder::~StoreDecoder() {
  ZSTD_freeDCtx(zstd_);
}

Status StoreDecoder::expect(const std::vector<Scan>& scans, const std::string& name) {
  const Totals totals = totals_of(scans);
  // Bytes of a row's columns in memory, about what the widest table takes.
  constexpr std::uint64_t kBytesARow = 60;
  const std::uint64_t memory = memory_limit_bytes();
  if (totals.sum() >= kNone || totals.sum() * kBytesARow > memory) {
    return Error{ErrorCode::unsupported,
                 fmt::format("{} holds {} rows and needs about {} MiB of memory; there are {} MiB: "
                             "record fewer steps (--start-after, --steps)",
                             name, totals.sum(), totals.sum() * kBytesARow >> 20U, memory >> 20U)};
  }
  reserve(data_.host_ranges, totals.host);
  reserve(data_.calls, totals.calls);
  reserve(data_.device_ops, totals.device);
  return Done{};
}

bool StoreDecoder::inflate(const Chunk& chunk, Bytes& raw) {
  const ChunkHeader& h = chunk.header;
  if (!is_plausible(h)) return false;
  if (h.codec == static_cast<std::uint8_t>(Codec::none)) {
    raw = chunk.payload;
    return h.raw_bytes == h.stored_bytes;
  }
  if (h.codec != static_cast<std::uint8_t>(Codec::zstd) || zstd_ == nullptr) return false;
  if (scratch_bytes_ < h.raw_bytes) {
    scratch_ = std::make_unique_for_overwrite<std::uint8_t[]>(h.raw_bytes);
    scratch_bytes_ = h.raw_bytes;
  }
  const std::size_t size = ZSTD_decompressDCtx(zstd_, scratch_.get(), h.raw_bytes,
                                               chunk.payload.data(), chunk.payload.size());
  raw = {scratch_.get(), h.raw_bytes};
  return size == h.raw_bytes;  // error codes are larger than any size
}

bool StoreDecoder::decode_chunk(const Chunk& chunk, FileState& file) {
  const auto [at, is_new] = file.sessions.try_emplace(chunk.header.session);
  Session& session = at->second;
  if (is_new) session.strings.set(0, 0), session.processes.set(0, file.ids.own_process());
  ++session.chunks;
  session.last_sequence = std::max(session.last_sequence, chunk.header.sequence);

  Bytes raw;
  if (!inflate(chunk, raw)) return false;
  ByteSource source(raw);
  EventSections events(session, file);
  bool sound = true;
  while (sound && source.more()) {
    const auto id = source.get<Section>();
    const Bytes section = source.take(source.get<std::uint32_t>());
    sound = source.ok() &&
            (is_event_section(id) ? events.read(id, section)
                                  : read_fact_section(id, ByteSource(section), session, file));
  }
  sound = sound && source.ok() && events.finish();
  if (!sound) events.rollback();
  if (sound && chunk.header.last_ns != 0)
    file.last_ns = std::max(file.last_ns, chunk.header.last_ns);
  return sound;
}

void StoreDecoder::decode(const Scan& scan, const std::string& name, const Progress& progress) {
  constexpr std::uint64_t kIdsThatOneLostChunkMayHold = 1U << 20U;
  FileState file{data_, shared_, FileIds(data_),
                 {},    {},      scan.lost_bytes * kMaxInflation + kIdsThatOneLostChunkMayHold};
  std::uint64_t malformed = 0;
  std::uint64_t unknown_types = 0;
  LostChunks lost;
  const std::uint64_t total = scan.chunks.empty() ? 0 : scan.chunks.back().offset;
  for (const Chunk& chunk : scan.chunks) {
    const auto type = static_cast<ChunkType>(chunk.header.type);
    const bool is_known = type == ChunkType::data || type == ChunkType::footer;
    const bool is_sound = is_known && decode_chunk(chunk, file);
    if (is_known) lost.add(chunk.header, is_sound);
    if (!is_known) {
      ++unknown_types;
    } else if (!is_sound) {
      if (malformed++ == 0) {
        data_.health.notes.push_back(fmt::format(
            "{}: the chunk at byte {} is malformed and was left out", name, chunk.offset));
      }
      data_.health.lost_bytes += kChunkHeaderBytes + chunk.payload.size();
    }
    report_progress(progress, chunk.offset, total);
  }
  end_open_ranges(file, name);
  if (IntervalSet stretches = lost.stretches(scan.torn_tail, file.last_ns); !stretches.empty()) {
    std::string& fact = data_.processes[file.ids.own_process()].facts[kLostStretches];
    const IntervalSet of_recorder = stretches_of_text(fact);
    stretches.insert(stretches.end(), of_recorder.begin(), of_recorder.end());
    fact = text_of_stretches(unite(std::move(stretches)));
  }

  Health& health = data_.health;
  const std::uint64_t missing = missing_chunks(file.sessions);
  const std::uint64_t torn = missing + (scan.torn_tail ? 1U : 0U);
  note_damage(scan, std::max(torn, scan.damaged_stretches), name, health);
  health.lost_chunks += std::max(torn, scan.damaged_stretches) + malformed;
  health.lost_bytes += scan.lost_bytes;
  health.missing_fields += file.unknown_ids;
  health.skipped_events += unknown_types + file.skipped_sections;
  if (unknown_types + file.skipped_sections > 0) {
    health.notes.push_back(
        fmt::format("{}: {} parts of kinds that this build does not know were left out; "
                    "a newer stepscope wrote it",
                    name, unknown_types + file.skipped_sections));
  }
  if (!file.has_footer) {
    health.notes.push_back(name +
                           ": no footer: the process was killed, its disk was full, or it is still "
                           "running; what it had written by then is shown");
  }
  for (const auto& [id, session] : file.sessions) {
    add(health, session.health);
    data_.collected = unite(data_.collected, collected_of(session.collected));
  }
}

TraceData StoreDecoder::take() {
  return std::move(data_);
}

}  // namespace stepscope::store
