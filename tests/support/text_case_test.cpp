// SPDX-License-Identifier: Apache-2.0
#include "tests/support/text_case.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepscope::testing {
namespace {

using ::testing::HasSubstr;

TextCase parse(std::string_view text) {
  Result<TextCase> parsed = parse_case("test", text);
  EXPECT_TRUE(parsed.ok()) << (parsed.ok() ? "" : parsed.error().message);
  return std::move(parsed).value();
}

// A partition as the case above it describes, to be spoilt in one place by each test.
Attribution attribution_of(Interval busy, Interval window) {
  Attribution out;
  out.phases.resize(1);
  out.process.segments = {
      {{window.begin, busy.begin}, Cause::launch_latency, 0, kNone, kNone, kNone},
      {busy, Cause::gpu_gemm, 0, kNone, kNone, kNone}};
  out.process.cells = {{0, Cause::gpu_gemm, 0, kNone, busy.length()},
                       {0, Cause::launch_latency, 0, kNone, busy.begin - window.begin}};
  return out;
}

constexpr std::string_view kSmall =
    "step 0 10\n"
    "launch t1 -5 0 s7 4 10 gemm\n"
    "expect gpu.gemm 6\n"
    "expect launch_latency 4\n";

TEST(TextCase, OneLineAnEvent) {
  const TextCase read = parse(
      "source kineto\n"
      "thread t2 worker\n"
      "op t1 0 50 aten::mm at=train.py:12\n"
      "call t1 10 14 cudaMemcpyAsync id=5 stream=s7\n"
      "copy s7 16 20 h2d pageable device id=5 bytes=64\n"
      "launch t2 20 22 d1.s8 24 30 k\n"
      "expect copy.h2d.pageable 4\n");
  const Trace& trace = read.trace;
  ASSERT_EQ(trace.device_ops().size(), 2U);
  EXPECT_EQ(trace.device_ops().begin[0], kBase + 16000);
  EXPECT_EQ(trace.device_ops().copy_kind[0], CopyKind::host_to_device);
  EXPECT_EQ(trace.device_ops().source_memory[0], MemoryKind::pageable);
  EXPECT_EQ(trace.calls().correlation[trace.launch_of(0)], 5U);
  EXPECT_NE(trace.launch_of(1), kNone);
  EXPECT_EQ(trace.data().streams[trace.device_ops().stream[1]].device, 1U);
  EXPECT_EQ(trace.data().sites.size(), 1U);
  EXPECT_TRUE(trace.collected().framework_ops);
  EXPECT_TRUE(trace.collected().api_arguments);
  EXPECT_FALSE(trace.collected().python_functions);
  EXPECT_FALSE(read.steps.has_value());
}

TEST(TextCase, RepeatShiftsHostAndDeviceApart) {
  const TextCase read = parse(
      "repeat 3 host=1 device=10\nlaunch t1 0 1 s7 100 105 k\nend\n"
      "expect gpu.other 15\n");
  ASSERT_EQ(read.trace.device_ops().size(), 3U);
  EXPECT_EQ(read.trace.device_ops().begin[2], kBase + 120000);
  const RangeId call = read.trace.calls().range[read.trace.launch_of(2)];
  EXPECT_EQ(read.trace.host_ranges().begin[call], kBase + 2000);
}

TEST(TextCase, ErrorsNameTheLine) {
  const auto message = [](std::string_view text) {
    return parse_case("bad", text).error().message;
  };
  EXPECT_THAT(message("kernel s7 1\n"), HasSubstr("bad:1: 'kernel' needs more words"));
  EXPECT_THAT(message("\nfoo 1 2\n"), HasSubstr("bad:2: unknown event 'foo'"));
  EXPECT_THAT(message("step 0 1\n"), HasSubstr("expects nothing"));
  EXPECT_THAT(message("repeat 2\n"), HasSubstr("repeat without end"));
  EXPECT_THAT(message("step 0 10\nexpect unknown 9\n"), HasSubstr("sum to 9 us of 10 us wall"));
}

TEST(TextCase, NoDifferenceWhereAllIsAsExpected) {
  const TextCase read = parse(kSmall);
  const Attribution found = attribution_of({kBase + 4000, kBase + 10000}, {kBase, kBase + 10000});
  EXPECT_EQ(differences(read, *read.steps, found), "");
}

TEST(TextCase, EveryKindOfDifferenceIsSeen) {
  const TextCase read = parse(kSmall);
  const Interval busy{kBase + 4000, kBase + 10000};
  const Interval window{kBase, kBase + 10000};
  const auto spoilt = [&](auto&& spoil) {
    Attribution found = attribution_of(busy, window);
    spoil(found);
    return differences(read, *read.steps, found);
  };
  EXPECT_THAT(spoilt([](Attribution& a) { a.process.cells[0].cause = Cause::gpu_other; }),
              HasSubstr("gpu.gemm: expected 6 us, found 0 us"));
  EXPECT_THAT(spoilt([](Attribution& a) { a.process.cells[0].ns -= 1; }),
              HasSubstr("step 0: parts sum to 9.999 of 10 us wall"));
  EXPECT_THAT(spoilt([](Attribution& a) { a.process.segments[0].cause = Cause::unknown; }),
              HasSubstr("cells differ from segments"));
  EXPECT_THAT(spoilt([](Attribution& a) { a.process.segments[0].time.end -= 1; }),
              HasSubstr("segments do not tile"));
  EXPECT_THAT(spoilt([](Attribution& a) { a.broken_invariants = {"x"}; }),
              HasSubstr("0 broken invariants expected, found these:\n  broken: x"));
}

}  // namespace
}  // namespace stepscope::testing
