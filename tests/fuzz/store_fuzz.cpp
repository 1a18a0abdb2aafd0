// SPDX-License-Identifier: Apache-2.0
// Feeds bytes to the store's reader three ways, since checksums and compression would hide what
// lies below:
//   as a file;
//   as the payload of a plain chunk, with right checksums around it;
//   as the payloads of several chunks, cut where the input has chunk magics.
// Whatever loads must also survive Trace::build.
//
// As a test: fixed mutations of the stored files. With coverage guidance:
//   clang++ -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined -I. tests/fuzz/store_fuzz.cpp
//     core/store/*.cpp core/model/*.cpp core/support/*.cpp -lzstd -lfmt -lsimdjson -o store_fuzz
//   ./store_fuzz -timeout=20 corpus        (corpus: a folder that starts with
//   tests/data/store/*.sst)
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/store/format.hpp"
#include "core/store/reader/chunk_scan.hpp"
#include "core/store/reader/reader.hpp"
#include "core/store/writer/byte_sink.hpp"

namespace {

using namespace stepscope;
using namespace stepscope::store;

void load_and_build(Bytes file) {
  Result<TraceData> data = read_sst_bytes(file, "fuzz.sst");
  if (data.ok()) Trace::build(std::move(*data));
}

void put_file_header(ByteSink& out) {
  out.put_bytes(kFileMagic.data(), kFileMagic.size());
  out.put(kMajorVersion);
  out.put(kMinorVersion);
  out.put(static_cast<std::uint32_t>(kFileHeaderBytes));
  out.put(std::uint32_t{0});
  out.put(crc32c(out.data(), out.size()));
}

void put_chunk(Bytes payload, ByteSink& out) {
  ChunkHeader h{.type = 1};
  h.stored_bytes = h.raw_bytes = static_cast<std::uint32_t>(payload.size());
  h.session = 1;
  h.payload_crc = crc32c(payload.data(), payload.size());
  std::array<std::uint8_t, kChunkHeaderBytes> bytes{};
  std::copy(kChunkMagic.begin(), kChunkMagic.end(), bytes.begin());
  for (int pass = 0; pass < 2; ++pass) {
    chunk_header_fields(
        h, [&bytes](int at, auto& field) { std::memcpy(bytes.data() + at, &field, sizeof field); });
    h.header_crc = crc32c(bytes.data(), kChunkHeaderBytes - 4);
  }
  out.put_bytes(bytes.data(), bytes.size());
  out.put_bytes(payload.data(), payload.size());
}

// The input cut at chunk magics; each piece becomes the payload of a sound chunk.
void load_pieces(Bytes input) {
  ByteSink file;
  put_file_header(file);
  std::size_t from = 0;
  for (std::size_t at = 1; at <= input.size(); ++at) {
    const bool boundary = at == input.size() ||
                          (input.size() - at >= kChunkMagic.size() &&
                           std::equal(kChunkMagic.begin(), kChunkMagic.end(), input.data() + at));
    if (!boundary) continue;
    const std::size_t skip = std::min(at - from, kChunkHeaderBytes);
    put_chunk(input.subspan(from + skip, at - from - skip), file);
    from = at;
  }
  load_and_build({file.data(), file.size()});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes input(data, size);
  load_and_build(input);
  ByteSink file;
  put_file_header(file);
  put_chunk(input, file);
  load_and_build({file.data(), file.size()});
  load_pieces(input);
  return 0;
}

#ifdef STEPSCOPE_FUZZ_AS_TEST
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/fuzz/mutations.hpp"

namespace stepscope {
namespace {

std::string stored_file(const char* name) {
  std::ifstream in(std::string(STEPSCOPE_SOURCE_DIR "/tests/data/store/") + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(StoreFuzz, MutationsOfStoredFilesNeverCrash) {
  const std::vector<std::string> seeds = {stored_file("v1.sst"),   stored_file("v1_plain.sst"),
                                          stored_file("v1_1.sst"), stored_file("v1_2.sst"),
                                          stored_file("v1_3.sst"), stored_file("v1_4.sst")};
  for (const std::string& seed : seeds) ASSERT_GT(seed.size(), 1000U);
  const std::vector<std::string> tokens = {"\xff\xff\xff\xff",
                                           std::string(4, '\0'),
                                           "\x80",
                                           "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
                                           "\xf5SCK",
                                           std::string("\x10\0", 2),
                                           std::string("\x01\0", 2),
                                           std::string("\xff\xff\0\0", 4)};
  Mutations mutations(seeds, tokens, 3);
  for (int i = 0; i < 5'000; ++i) {
    const std::string input = mutations.next();
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  }
}

}  // namespace
}  // namespace stepscope
#endif
