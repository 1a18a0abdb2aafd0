// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <limits>
#include <set>

#include "core/report/wording/numbers.hpp"
#include "reports/text/grid.hpp"
#include "reports/text/style.hpp"

namespace stepscope {
namespace {

TEST(Numbers, OneUnitAndPrecisionForAColumn) {
  const TimeUnit ms = unit_for_step(38.2e6);
  EXPECT_EQ(format_time(38.2e6, ms), "38.20");
  EXPECT_EQ(format_time(1234, ms), "<0.01");
  EXPECT_EQ(format_time(0, ms), "0.00");
  EXPECT_EQ(unit_for_step(900e3).name, "us");
  EXPECT_EQ(unit_for_step(12e9).name, "s");
}

TEST(Numbers, CountsSharesAndBytes) {
  EXPECT_EQ(format_count(1234567), "1,234,567");
  EXPECT_EQ(format_count(0.25), "0.25");
  EXPECT_EQ(format_count(12.34), "12.3");
  EXPECT_EQ(format_count(240), "240");
  EXPECT_EQ(format_exact(-1'234'567), "-1,234,567");
  EXPECT_EQ(format_exact(0), "0");
  EXPECT_EQ(format_share(0.1234), "12.3 %");
  EXPECT_EQ(format_share(0.0001), "<0.1 %");
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes(4'194'304), "4.19 MB");
  EXPECT_EQ(format_bytes(999'999), "1.00 MB");
  EXPECT_EQ(format_rate(2.9156e12), "2916");
  EXPECT_EQ(format_rate(11.34e9), "11.3");
  EXPECT_EQ(format_rate(0.4e9), "0.40");
  EXPECT_EQ(format_rate(1000), "<0.01");
}

TEST(Numbers, ALineEndsNeitherBeforeAUnitNorBeforeAnArrow) {
  EXPECT_EQ(unbroken("p90 82.8 ms, 19 steps"), "p90 82.8\u00a0ms, 19 steps");
  EXPECT_EQ(unbroken("each 445 us -> >12.0 us"), "each 445\u00a0us\u00a0-> >12.0\u00a0us");
  EXPECT_EQ(unbroken("-37.83 ms (12.0 %)."), "-37.83\u00a0ms (12.0\u00a0%).");
  EXPECT_EQ(unbroken("step 3 steps, p90 s, rank 1 was 3 smaller"),
            "step 3 steps, p90 s, rank 1 was 3 smaller");
  EXPECT_EQ(unbroken(" -> "), "\u00a0-> ");
  EXPECT_EQ(with_blanks(unbroken("12.0 us -> 3 ms")), "12.0 us -> 3 ms");
  EXPECT_EQ(unbroken(""), "");
}

TEST(Names, KernelsLoseNamespacesAndParameters) {
  EXPECT_EQ(short_kernel_name("void at::native::(anonymous namespace)::f<4, at::add<float>, "
                              "std::array<char*, 3ul> >(int, at::x)"),
            "f<4, add<float>, array<char*, 3ul> >");
  EXPECT_EQ(short_kernel_name("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)"),
            "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
  EXPECT_EQ(short_kernel_name("Memcpy HtoD (Pageable -> Device)"),
            "Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(short_kernel_name(
                "void cutlass::Kernel2<cutlass_80_gemm_128x128>(cutlass_80_gemm_128x128::Params)"),
            "cutlass_80_gemm_128x128");
  EXPECT_EQ(short_kernel_name(
                "std::enable_if<!(false), void>::type internal::gemvx::kernel<int, 7>(int)"),
            "kernel<int, 7>");
  EXPECT_EQ(short_kernel_name("CUDA graph 5"), "CUDA graph 5");
  EXPECT_EQ(short_kernel_name(""), "");
  EXPECT_EQ(short_kernel_name("void ::<(::"), "void ::<(::");  // no signature: left alone
}

TEST(Names, AreCutBetweenCharacters) {
  EXPECT_EQ(shortened("äöü", 3), "äöü");
  EXPECT_EQ(shortened("äöüx", 3), "äöü…");
  EXPECT_EQ(shortened("", 0), "");
}

TEST(Names, EveryCauseHasItsOwnMeaning) {
  std::set<std::string_view> meanings;
  for (std::size_t i = 0; i < kCauseCount; ++i) meanings.insert(meaning_of(static_cast<Cause>(i)));
  EXPECT_EQ(meanings.size(), kCauseCount);
  EXPECT_EQ(meaning_of(Cause::gpu_wait_peer), "waiting for another GPU");
  EXPECT_EQ(meaning_of(Cause::host_sync_return), "waking up after a wait");
  EXPECT_EQ(meaning_of(Cause::profiler), "the profiler itself");
}

TEST(Style, BarsAreProportionalAndCutsCountColumns) {
  const Style unicode{.colour = false, .unicode = true};
  EXPECT_EQ(columns_of(unicode.bar(0.5, 10)), 5U);
  EXPECT_EQ(unicode.bar(0.0, 10), "");
  EXPECT_EQ(columns_of(unicode.bar(7.0, 10)), 10U);
  EXPECT_EQ((Style{false, false}).bar(0.3, 10), "###");
  EXPECT_EQ(unicode.cut_end("\u00e4\u00f6\u00fcx", 3), "\u00e4\u00f6\u2026");
  EXPECT_EQ(unicode.cut_front("abcdef", 3), "\u2026ef");
  EXPECT_EQ((Style{false, false}).cut_front("abcdef", 5), "...ef");
  EXPECT_EQ(columns_of((Style{.colour = true}).paint(Colour::red, "abc") + "d"), 4U);
}

// A long name costs its own row its columns, and the others nothing.
TEST(Style, WholeNamesAreNeverCut) {
  const Style style{.colour = false, .unicode = true, .whole_names = true};
  EXPECT_EQ(style.cut_end("abcdef", 3), "abcdef");
  EXPECT_EQ(style.cut_front("abcdef\n", 3), "abcdef ");
  Grid table({Align::left, Align::right});
  const std::string name(300, 'n');
  table.row({{name}, {"1"}});
  table.row({{"short"}, {"2"}});
  const std::string text = table.render(style);
  EXPECT_THAT(text, testing::StartsWith("  " + name + "  1\n"));
  EXPECT_LT(text.size(), 450U);
}

TEST(Style, AShareOfNothingIsAnEmptyBar) {
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ((Style{false, true}).bar(nothing, 10), "");
  EXPECT_EQ((Style{false, false}).bar(nothing, 10), "");
}

// A name must not move the cursor, paint, or pass for a line of the report.
TEST(Names, ControlCharactersNeverReachTheTerminal) {
  EXPECT_EQ(one_line("a\x1b[2J\nHOST\r\tx\x7f"), "a?[2J HOST  x?");
  EXPECT_EQ(one_line("a\u009b31m\u202e\u00e4"), "a?31m?\u00e4");
  Grid table({Align::left});
  table.row({{std::string(10'000, 'n') + "\n"}});
  EXPECT_LT(table.render({.colour = false, .unicode = true}).size(), 130U);
}

TEST(Table, LosesTheColumnsInWhichNoRowSaysAnything) {
  Grid table({Align::left, Align::right, Align::left, Align::right});
  table.head({"Phase", "calls", "", "share"});
  table.row({{"forward"}, {""}, {""}, {"60 %"}});
  table.row({{"2 smaller"}, {""}});
  EXPECT_EQ(table.render({}), "Phase        share\n  forward     60 %\n  2 smaller\n");
  table.row({{"data"}, {"3"}});
  EXPECT_EQ(
      table.render({}),
      "Phase        calls  share\n  forward            60 %\n  2 smaller\n  data           3\n");
}

TEST(Table, AlignsByColumnsNotBytes) {
  Grid table({Align::left, Align::right});
  table.head({"name", "n"});
  table.row({{"\u00e4", Colour::red}, {"1"}});
  table.row({{"long name"}, {"200"}});
  EXPECT_EQ(table.render({.colour = false, .unicode = true}),
            "name           n\n  \u00e4            1\n  long name  200\n");
}

}  // namespace
}  // namespace stepscope
