// SPDX-License-Identifier: Apache-2.0
// Feeds bytes to the reader of a rank's summary three ways, since its checksum and compression would
// hide what lies below: as a file, as a compressed part, and as the values of a part.
//
// As a test: fixed mutations of a part. With coverage guidance, as tests/fuzz/store_fuzz.cpp says,
// with core/ compiled in.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/summary/job/packed.hpp"
#include "core/summary/job/rank_summary.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stepscope;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)job::read_rank_summary(text, {});
  (void)job::unpack_part(text);
  job::Unpacker unpacker({data, size});
  job::JobPart part;
  unpacker(part);
  if (unpacker.ok()) (void)job::check_part(part);
  return 0;
}

#ifdef STEPSCOPE_FUZZ_AS_TEST
#include <gtest/gtest.h>

#include "tests/fuzz/mutations.hpp"
#include "tests/support/recorded_job.hpp"

namespace stepscope {
namespace {

TEST(RankSummaryFuzz, MutationsOfAPartNeverCrash) {
  const recorded_job::Plan plan{.ranks = 4, .steps = 6, .kernels = 4};
  const job::JobPart part =
      job::read_part(recorded_job::trace_of(plan, recorded_job::steps_of(plan), 2), {});
  job::Packer packer;
  packer(part);
  const store::ByteSink& raw = packer.bytes();
  const std::vector<std::string> seeds = {std::string(raw.data(), raw.data() + raw.size()),
                                          job::pack_part(part), job::rank_summary_bytes(part, {})};
  const std::vector<std::string> tokens = {std::string(1, '\0'), "\x7f", "\xff\xff\xff\xff\x0f",
                                           "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"};
  Mutations mutations(seeds, tokens, 3);
  for (int i = 0; i < 5'000; ++i) {
    const std::string input = mutations.next();
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  }
}

}  // namespace
}  // namespace stepscope
#endif
