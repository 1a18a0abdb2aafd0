// SPDX-License-Identifier: Apache-2.0
// Files cut at every byte, with flipped bits, and written to harm: never a crash, never a wrong
// row.
#include <gmock/gmock.h>
#include <malloc.h>
#include <zstd.h>

#include <cstring>

#include "core/model/losses.hpp"
#include "core/store/format.hpp"
#include "core/store/reader/chunk_scan.hpp"
#include "core/store/reader/file_ids.hpp"
#include "core/store/reader/lost_chunks.hpp"
#include "core/store/reader/reader.hpp"
#include "core/store/writer/byte_sink.hpp"
#include "tests/core/store/dump.hpp"
#include "tests/core/store/random_batch.hpp"
#include "tests/core/store/scratch.hpp"
#include "tests/support/cpu_growth.hpp"

namespace stepscope {
namespace {

using namespace store;
using testing::Contains;
using testing::HasSubstr;
using ByteVector = std::vector<std::uint8_t>;

Result<TraceData> load_bytes(const ByteVector& bytes) {
  return read_sst_bytes(bytes, "a.sst");
}

// A file of `chunks` chunks, and the events that each prefix of them holds.
struct SmallFile {
  ByteVector bytes;
  std::vector<std::string> events_after;  // [n]: the dump of the first n chunks
  std::vector<std::size_t> ends;          // [n]: the byte after chunk n

  explicit SmallFile(int chunks, std::size_t rows = 6) {
    const Scratch scratch;
    Result<StoreWriter> store = StoreWriter::create(scratch / "a.sst");
    Shadow shadow(*store);
    RandomBatch random(7);
    events_after.emplace_back();
    for (int i = 0; i < chunks; ++i) {
      shadow.write(random.make(shadow, rows));
      events_after.push_back(dump_events(shadow.expected));
    }
    shadow.close(ExitReason::returned, 0);
    bytes = bytes_of_file(scratch / "a.sst");
    const Result<Scan> scan = scan_chunks(bytes, "a.sst");
    for (const Chunk& chunk : scan->chunks)
      ends.push_back(chunk.offset + kChunkHeaderBytes + chunk.payload.size());
    EXPECT_EQ(ends.size(), static_cast<std::size_t>(chunks) + 1) << "and the footer";
  }
  std::size_t whole_chunks_before(std::size_t size) const {
    return static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), size) -
                                    ends.begin());
  }
};

TEST(StoreDamage, CutAtAnyByteLoadsExactlyTheWholeChunks) {
  const SmallFile file(5);
  for (std::size_t size = 0; size < file.bytes.size(); ++size) {
    const ByteVector cut(file.bytes.begin(),
                         file.bytes.begin() + static_cast<std::ptrdiff_t>(size));
    const Result<TraceData> loaded = load_bytes(cut);
    if (size < kFileHeaderBytes) {
      ASSERT_FALSE(loaded.ok());
      EXPECT_EQ(loaded.error().code, ErrorCode::bad_input);
      EXPECT_THAT(loaded.error().message,
                  HasSubstr(size == 0 ? "is empty" : "too short for a header"));
      continue;
    }
    ASSERT_TRUE(loaded.ok()) << "at " << size << ": " << loaded.error().message;
    const std::size_t whole = file.whole_chunks_before(size);
    ASSERT_EQ(dump_events(*loaded), file.events_after[std::min(whole, std::size_t{5})])
        << "at " << size;
    const std::size_t sound = whole == 0 ? kFileHeaderBytes : file.ends[whole - 1];
    EXPECT_EQ(loaded->health.lost_bytes, size - sound);
    EXPECT_EQ(loaded->health.lost_chunks, size == sound ? 0U : 1U);
    EXPECT_THAT(loaded->health.notes, Contains(HasSubstr("no footer")));
  }
}

TEST(StoreDamage, AFlippedBitCostsItsChunkAndIsCounted) {
  const SmallFile file(3);
  for (std::size_t bit = kFileHeaderBytes * 8; bit < file.bytes.size() * 8; ++bit) {
    ByteVector flipped = file.bytes;
    flipped[bit / 8] = static_cast<std::uint8_t>(flipped[bit / 8] ^ (1U << (bit % 8)));
    const Result<TraceData> loaded = load_bytes(flipped);
    ASSERT_TRUE(loaded.ok()) << "bit " << bit;
    ASSERT_EQ(loaded->health.lost_chunks, 1U) << "bit " << bit;
    const std::size_t chunk = file.whole_chunks_before(bit / 8);
    const std::size_t size =
        file.ends[chunk] - (chunk == 0 ? kFileHeaderBytes : file.ends[chunk - 1]);
    ASSERT_EQ(loaded->health.lost_bytes, size) << "bit " << bit;
  }
}

TEST(StoreDamage, AFlippedBitInTheFileHeaderIsNotedOrRefused) {
  const SmallFile file(2);
  for (std::size_t bit = 0; bit < kFileHeaderBytes * 8; ++bit) {
    ByteVector flipped = file.bytes;
    flipped[bit / 8] = static_cast<std::uint8_t>(flipped[bit / 8] ^ (1U << (bit % 8)));
    const Result<TraceData> loaded = load_bytes(flipped);
    if (bit < 64) {
      ASSERT_FALSE(loaded.ok());
      EXPECT_THAT(loaded.error().message, HasSubstr("no stepscope store file"));
    } else {
      ASSERT_TRUE(loaded.ok());
      EXPECT_EQ(dump_events(*loaded), file.events_after[2]);
      EXPECT_THAT(loaded->health.notes, Contains(HasSubstr("header is damaged")));
    }
  }
}

TEST(StoreDamage, ALostChunkLosesTheNamesItDefinedButNoLaterRow) {
  const SmallFile file(4, 30);
  ByteVector bytes(file.bytes.begin(), file.bytes.begin() + kFileHeaderBytes);
  bytes.insert(bytes.end(), file.bytes.begin() + static_cast<std::ptrdiff_t>(file.ends[0]),
               file.bytes.end());
  const Result<TraceData> whole = load_bytes(file.bytes);
  const Result<TraceData> loaded = load_bytes(bytes);
  ASSERT_TRUE(loaded.ok());
  const Result<Scan> scan = scan_chunks(file.bytes, "a.sst");
  EXPECT_EQ(whole->host_ranges.size() - loaded->host_ranges.size(),
            scan->chunks[0].header.host_rows);
  EXPECT_EQ(loaded->health.lost_chunks, 1U);
  EXPECT_GT(loaded->health.missing_fields, 0U);
  EXPECT_NE(loaded->strings.find("(lost name)"), kNone);
}

TEST(StoreDamage, TheTimeOfALostChunkIsKnown) {
  const SmallFile file(4, 30);
  ByteVector bytes = file.bytes;
  bytes[file.ends[1] + kChunkHeaderBytes] ^= 1U;
  const Result<Scan> scan = scan_chunks(file.bytes, "a.sst");
  const Result<TraceData> loaded = load_bytes(bytes);
  ASSERT_TRUE(loaded.ok());
  LostChunks lost;
  for (const std::size_t sound : {0U, 1U, 3U}) lost.add(scan->chunks[sound].header, true);
  EXPECT_EQ(loaded->processes[0].facts.at(kLostStretches),
            text_of_stretches(lost.stretches(false, 0)));
  EXPECT_FALSE(load_bytes(file.bytes)->processes[0].facts.contains(kLostStretches));
}

TEST(StoreDamage, ManyFlippedBitsNeverCrash) {
  const SmallFile file(5);
  std::mt19937_64 random(11);
  for (int round = 0; round < 3000; ++round) {
    ByteVector damaged = file.bytes;
    for (std::uint64_t n = random() % 30 + 1; n > 0; --n) {
      damaged[8 + random() % (damaged.size() - 8)] ^=
          static_cast<std::uint8_t>(1U << (random() % 8));
    }
    Result<TraceData> loaded = load_bytes(damaged);
    ASSERT_TRUE(loaded.ok() || loaded.error().code == ErrorCode::unsupported);
    if (loaded.ok()) Trace::build(std::move(*loaded));
  }
}

// Chunks made by hand, with right checksums around wrong content.
class Forger {
 public:
  Forger() { file_.put_bytes(SmallFile(1).bytes.data(), kFileHeaderBytes); }

  Forger& chunk(const ByteSink& payload, ChunkHeader h = {}) {
    if (h.type == 0) h.type = 1;
    if (h.raw_bytes == 0) h.raw_bytes = static_cast<std::uint32_t>(payload.size());
    h.session = 1;
    h.stored_bytes = static_cast<std::uint32_t>(payload.size());
    h.payload_crc = crc32c(payload.data(), payload.size());
    std::array<std::uint8_t, kChunkHeaderBytes> bytes{};
    std::copy(kChunkMagic.begin(), kChunkMagic.end(), bytes.begin());
    for (int pass = 0; pass < 2; ++pass) {
      chunk_header_fields(h, [&bytes](int at, auto& field) {
        std::memcpy(bytes.data() + at, &field, sizeof field);
      });
      h.header_crc = crc32c(bytes.data(), kChunkHeaderBytes - 4);
    }
    file_.put_bytes(bytes.data(), bytes.size());
    file_.put_bytes(payload.data(), payload.size());
    return *this;
  }
  Result<TraceData> load() const { return load_bytes({file_.data(), file_.data() + file_.size()}); }

 private:
  ByteSink file_;
};

template <class Fill>
ByteSink section(Section id, Fill fill) {
  ByteSink out;
  out.put(id);
  LengthPatch length(out);
  fill(out);
  length.end();
  return out;
}

void column(ByteSink& out, std::uint8_t id, Encoding encoding, const ByteVector& bytes) {
  out.put(id);
  out.put(encoding);
  out.put(static_cast<std::uint32_t>(bytes.size()));
  out.put_bytes(bytes.data(), bytes.size());
}

void expect_left_out(const ByteSink& payload, const char* why, ChunkHeader header = {}) {
  const Result<TraceData> loaded = Forger().chunk(payload, header).load();
  ASSERT_TRUE(loaded.ok()) << why;
  EXPECT_EQ(loaded->health.lost_chunks, 1U) << why;
  EXPECT_THAT(loaded->health.notes, Contains(HasSubstr("the chunk at byte 24 is malformed")))
      << why;
  EXPECT_EQ(dump_events(*loaded), "") << why;
}

TEST(StoreHostile, AGapOfIdsTakesNoMemory) {
  constexpr std::uint32_t kFar = 1'200'000'000;
  const auto bytes_in_use = [] { return mallinfo2().uordblks + mallinfo2().hblkhd; };
  const std::size_t before = bytes_in_use();
  IdMap map;
  map.set(3, 30);
  map.set(kFar, 7);
  EXPECT_LT(bytes_in_use() - before, std::size_t{16} << 20U);
  EXPECT_EQ(map.size(), kFar + std::size_t{1});
  EXPECT_EQ(map[3], 30U);
  EXPECT_EQ(map[kFar], 7U);
  for (const std::uint32_t id : {2U, 4U, 1'000'000U, kFar - 1, kFar + 1, ~0U})
    EXPECT_EQ(map[id], kNone) << id;
}

// A file of chunk headers alone, each of which claims the rest of the file.
ByteVector headers_alone(int count) {
  ByteVector file = SmallFile(1).bytes;
  file.resize(kFileHeaderBytes);
  for (int left = count; left-- > 0;) {
    ChunkHeader h;
    h.type = 1;
    h.stored_bytes =
        static_cast<std::uint32_t>(left) * static_cast<std::uint32_t>(kChunkHeaderBytes);
    h.payload_crc = 1;
    std::array<std::uint8_t, kChunkHeaderBytes> bytes{};
    std::copy(kChunkMagic.begin(), kChunkMagic.end(), bytes.begin());
    for (int pass = 0; pass < 2; ++pass) {
      chunk_header_fields(h, [&bytes](int at, auto& field) {
        std::memcpy(bytes.data() + at, &field, sizeof field);
      });
      h.header_crc = crc32c(bytes.data(), kChunkHeaderBytes - 4);
    }
    file.insert(file.end(), bytes.begin(), bytes.end());
  }
  return file;
}

// Were the claim of each header checked to its end, it would be 300 GB.
TEST(StoreHostile, HeadersAloneAreReadInTime) {
  const auto read = [](int count) {
    const ByteVector file = headers_alone(count);
    const Result<TraceData> loaded = load_bytes(file);
    ASSERT_TRUE(loaded.ok());
    EXPECT_EQ(loaded->health.lost_bytes, file.size() - kFileHeaderBytes);
  };
  EXPECT_LT(cpu_growth(100'000, read), kGrowthOfPairs);
}

TEST(StoreHostile, CountsAndLengthsThatLie) {
  expect_left_out(section(Section::marks,
                          [](ByteSink& out) {
                            out.put_varint(~std::uint64_t{0});
                            column(out, 0, Encoding::delta, {2});
                          }),
                  "2^64 rows");
  expect_left_out(section(Section::marks,
                          [](ByteSink& out) {
                            out.put_varint(5);
                            column(out, 0, Encoding::delta, {2, 2});
                          }),
                  "fewer values than rows");
  expect_left_out(section(Section::marks,
                          [](ByteSink& out) {
                            out.put_varint(2);
                            column(out, 0, Encoding::delta, {2, 2, 2});
                          }),
                  "more values than rows");
  expect_left_out(section(Section::marks,
                          [](ByteSink& out) {
                            out.put_varint(1);
                            column(out, 0, Encoding::delta, ByteVector(11, 0xff));
                          }),
                  "a varint without an end");
  expect_left_out(section(Section::host_ranges,
                          [](ByteSink& out) {
                            out.put_varint(3);
                            column(out, 0, Encoding::chained, {2, 2, 2});
                            column(out, 1, Encoding::plain, {2, 2});
                          }),
                  "begins without ends");
  expect_left_out(section(Section::marks,
                          [](ByteSink& out) {
                            out.put_varint(1);
                            column(out, 0, static_cast<Encoding>(77), {2});
                          }),
                  "an unknown encoding");
  expect_left_out(section(Section::strings,
                          [](ByteSink& out) {
                            out.put_varint(1);
                            out.put_varint(~std::uint64_t{0} >> 1U);
                            out.put_varint(3);
                            out.put_bytes("abc", 3);
                          }),
                  "2^63 strings");
  expect_left_out(section(Section::strings,
                          [](ByteSink& out) {
                            out.put_varint(1);
                            out.put_varint(1);
                            out.put_varint(1000);
                          }),
                  "a string that runs over its section");
  expect_left_out(section(Section::strings,
                          [](ByteSink& out) {
                            out.put_varint(0xffffffffU);
                            out.put_varint(1);
                            out.put_varint(0);
                          }),
                  "a first id far beyond those known");
  ByteSink overrun;
  overrun.put(Section::marks);
  overrun.put(std::uint32_t{1000});
  expect_left_out(overrun, "a section that runs over its chunk");
}

TEST(StoreHostile, CallsOfNoRange) {
  expect_left_out(section(Section::calls,
                          [](ByteSink& out) {
                            out.put_varint(1);
                            column(out, 0, Encoding::delta, {20});
                          }),
                  "row 10 of a table without rows");
}

TEST(StoreHostile, CollectivesOfNoRange) {
  expect_left_out(section(Section::collectives,
                          [](ByteSink& out) {
                            out.put_varint(1);
                            column(out, 0, Encoding::delta, {20});
                          }),
                  "row 10 of a table without rows");
}

// The nodes stand before what is malformed: the chunk counts whole or not at all.
TEST(StoreHostile, GraphNodesOfAMalformedChunkAreTakenBack) {
  ByteSink payload = section(Section::graph_nodes, [](ByteSink& out) {
    out.put_varint(1);
    column(out, 0, Encoding::delta, {20});
    column(out, 1, Encoding::delta, {22});
  });
  const ByteSink calls = section(Section::calls, [](ByteSink& out) {
    out.put_varint(1);
    column(out, 0, Encoding::delta, {20});
  });
  payload.put_bytes(calls.data(), calls.size());
  expect_left_out(payload, "a call of no range behind a graph node");
}

TEST(StoreHostile, GraphNodesOfUnknownThreadsAndLinesAreLostOnes) {
  const ByteSink payload = section(Section::graph_nodes, [](ByteSink& out) {
    out.put_varint(1);
    column(out, 0, Encoding::delta, {20});
    column(out, 1, Encoding::delta, {22});
    column(out, 2, Encoding::delta, {22});  // a clone of itself
    column(out, 3, Encoding::plain, {99});
    column(out, 4, Encoding::plain, {99});
  });
  Result<TraceData> loaded = Forger().chunk(payload).load();
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(dump_events(*loaded),
            "graph node 10 11 from 11 thread 0/-1 '(lost thread)' site none\n");
  EXPECT_EQ(loaded->health.missing_fields, 2U);
  EXPECT_EQ(Trace::build(std::move(*loaded)).graph_nodes().size(), 1U);
}

TEST(StoreHostile, HeadersThatPromiseTheWorld) {
  ByteSink payload;
  payload.put(std::uint64_t{0});
  expect_left_out(payload, "4 GiB raw", {.codec = 1, .raw_bytes = 0xffffffffU});
  expect_left_out(payload, "rows beyond the payload",
                  {.host_rows = 0xffffffffU, .call_rows = 0xffffffffU});
  expect_left_out(payload, "an unknown codec", {.codec = 9});
  expect_left_out(payload, "not zstd at all", {.codec = 1, .raw_bytes = 64});
}

TEST(StoreHostile, ADecompressionBombIsNotInflated) {
  const ByteVector zeros(std::size_t{32} << 20U, 0);
  ByteSink bomb;
  std::uint8_t* at = bomb.room(ZSTD_compressBound(zeros.size()));
  const std::size_t size =
      ZSTD_compress(at, ZSTD_compressBound(zeros.size()), zeros.data(), zeros.size(), 19);
  bomb.advance_to(at + size);
  ASSERT_LT(bomb.size(), 10'000U);
  expect_left_out(bomb, "inflates 3000 times",
                  {.codec = 1, .raw_bytes = static_cast<std::uint32_t>(zeros.size())});
  expect_left_out(bomb, "says less than it holds", {.codec = 1, .raw_bytes = 4096});
}

TEST(StoreHostile, IdsThatNobodyDefinedBecomeLostOnes) {
  ByteSink payload = section(Section::device_ops, [](ByteSink& out) {
    out.put_varint(1);
    column(out, 0, Encoding::chained, {100});
    column(out, 1, Encoding::plain, {5});
    column(out, 2, Encoding::plain, {99});
    column(out, 3, Encoding::bytes, {250});
    column(out, 4, Encoding::plain, {99});
    column(out, 9, Encoding::bytes, {200});
    column(out, 12, Encoding::plain, {99});
  });
  Result<TraceData> loaded = Forger().chunk(payload).load();
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(dump_events(*loaded),
            "op 50 55 '(lost name)' kind 4 stream 0/0/4294967295/4294967295 '(lost stream)' "
            "correlation 0 graph 0.0"
            " bytes 18446744073709551615 copy 0 0 0 config none\n");
  EXPECT_EQ(loaded->health.missing_fields, 3U);
  EXPECT_EQ(Trace::build(std::move(*loaded)).device_ops().size(), 1U);
}

TEST(StoreHostile, WhatANewerMinorVersionAddsIsSkippedAndCounted) {
  ByteSink payload =
      section(static_cast<Section>(999), [](ByteSink& out) { out.put(std::uint32_t{5}); });
  const ByteSink marks = section(Section::marks, [](ByteSink& out) {
    out.put_varint(1);
    column(out, 0, Encoding::delta, {20});
    column(out, 31, static_cast<Encoding>(77), {1, 2, 3});
    column(out, 200, static_cast<Encoding>(77), {1, 2, 3});
  });
  payload.put_bytes(marks.data(), marks.size());
  const Result<TraceData> loaded =
      Forger().chunk(payload).chunk(payload, {.type = 60, .sequence = 1}).load();
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->marks.time, std::vector<std::int64_t>{10});
  EXPECT_EQ(loaded->health.skipped_events, 2U);
  EXPECT_EQ(loaded->health.lost_chunks, 0U);
  EXPECT_THAT(loaded->health.notes, Contains(HasSubstr("a newer stepscope wrote it")));
}

TEST(StoreHostile, ANewerMajorVersionIsAClearError) {
  ByteVector bytes = SmallFile(1).bytes;
  bytes[8] = 9;
  const std::uint32_t crc = crc32c(bytes.data(), kFileHeaderBytes - 4);
  std::memcpy(bytes.data() + kFileHeaderBytes - 4, &crc, sizeof crc);
  const Result<TraceData> loaded = load_bytes(bytes);
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().code, ErrorCode::unsupported);
  EXPECT_EQ(loaded.error().message,
            "a.sst is in store format 9, this build reads format 1: use the stepscope that wrote "
            "it, or a newer one");
}

}  // namespace
}  // namespace stepscope
