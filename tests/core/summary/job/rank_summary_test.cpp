// SPDX-License-Identifier: Apache-2.0
#include "core/summary/job/rank_summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "core/summary/job/packed.hpp"
#include "tests/support/recorded_job.hpp"

namespace stepscope::job {
namespace {

using testing::HasSubstr;

store::Bytes bytes_of(const store::ByteSink& sink) {
  return {sink.data(), sink.size()};
}

const JobPart& recorded_part() {
  static const JobPart part = [] {
    const recorded_job::Plan plan{.ranks = 4, .steps = 12, .kernels = 10};
    return read_part(recorded_job::trace_of(plan, recorded_job::steps_of(plan), 1), {});
  }();
  return part;
}

const SummaryOrigin& origin() {
  static const SummaryOrigin origin{"1.0 (abc)", {{"a.sst", 100, 7}, {"run.json", 20, 9}}};
  return origin;
}

std::string why_refused(const std::string& bytes, const SummaryOrigin& expected = origin()) {
  const auto read = read_rank_summary(bytes, expected);
  return read ? "" : read.error().message;
}

TEST(RankSummary, APartComesBackAsItWas) {
  const JobPart& part = recorded_part();
  ASSERT_EQ(part.ranks.size(), 1U);
  ASSERT_TRUE(part.ranks[0].record);
  ASSERT_GT(part.ranks[0].record->collectives.size(), 10U);
  const auto back = read_rank_summary(rank_summary_bytes(part, origin()), origin());
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(pack_part(*back), pack_part(part));
  const RankRecord& before = *part.ranks[0].record;
  const RankRecord& after = *back->ranks[0].record;
  ASSERT_EQ(after.pieces.size(), before.pieces.size());
  for (std::size_t i = 0; i < after.pieces.size(); ++i) {
    EXPECT_EQ(after.pieces[i].time, before.pieces[i].time);
    EXPECT_EQ(back->owners[after.pieces[i].owner], part.owners[before.pieces[i].owner]);
  }
  EXPECT_EQ(after.steps, before.steps);
  EXPECT_EQ(after.host_waits, before.host_waits);
  EXPECT_EQ(back->ranks[0].summary.step_parts, part.ranks[0].summary.step_parts);
  EXPECT_EQ(back->ranks[0].summary.steps.how, part.ranks[0].summary.steps.how);
}

// Values that a struct of the layout can hold, at random and at its ends.
TEST(RankSummary, ValuesOfEachKindComeBack) {
  std::mt19937_64 random(5);
  constexpr std::int64_t kMost = (std::int64_t{1} << 61U) - 1;
  for (int round = 0; round < 2'000; ++round) {
    const auto shift = static_cast<unsigned>(random() % 60);
    PartitionSummary row;
    row.wall_ns_total = static_cast<std::int64_t>(random() >> (shift + 3));
    row.p50_ns = round % 2 ? kMost : -kMost;
    row.steps_counted = round % 3 ? random() >> shift : std::numeric_limits<std::uint64_t>::max();
    row.queued_share = static_cast<double>(random()) / 3;
    row.bound = static_cast<Bound>(random() % 4);
    row.why_bound = std::string(random() % 40, static_cast<char>('a' + random() % 26));
    row.inflated = random() % 2 != 0;
    if (random() % 2) row.plain_step_ns = static_cast<std::int64_t>(random() >> 20U);
    for (std::uint64_t i = random() % 5; i > 0; --i)
      row.parts.push_back({static_cast<Cause>(random() % kCauseCount), static_cast<int>(i)});
    const Interval time{static_cast<std::int64_t>(random() >> 4U) - kMost / 4, kMost / 2};
    Packer packer;
    packer(row, time, row.why_bound);
    Unpacker unpacker(bytes_of(packer.bytes()));
    PartitionSummary back;
    Interval time_back;
    std::string text_back;
    unpacker(back, time_back, text_back);
    ASSERT_TRUE(unpacker.ok());
    EXPECT_EQ(unpacker.left(), 0U);
    EXPECT_EQ(time_back, time);
    EXPECT_EQ(text_back, row.why_bound);
    Packer again;
    again(back, time_back, text_back);
    ASSERT_EQ(std::string(again.bytes().data(), again.bytes().data() + again.bytes().size()),
              std::string(packer.bytes().data(), packer.bytes().data() + packer.bytes().size()));
    EXPECT_EQ(back.queued_share, row.queued_share);
    EXPECT_EQ(back.p50_ns, row.p50_ns);
    EXPECT_EQ(back.steps_counted, row.steps_counted);
  }
}

TEST(RankSummary, EachFlippedByteAndEachCutIsRefused) {
  const std::string whole = rank_summary_bytes(recorded_part(), origin());
  ASSERT_EQ(why_refused(whole), "");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    EXPECT_NE(why_refused(damaged), "") << "byte " << at;
    EXPECT_NE(why_refused(whole.substr(0, at)), "") << "cut at " << at;
  }
}

TEST(RankSummary, WhatIsOfAnotherRecordingOrBuildIsRefused) {
  const std::string bytes = rank_summary_bytes(recorded_part(), origin());
  SummaryOrigin other = origin();
  other.build = "1.1 (def)";
  EXPECT_THAT(why_refused(bytes, other), HasSubstr("build: it was written by stepscope 1.0 (abc)"));
  other = origin();
  other.files[0].bytes = 101;
  EXPECT_THAT(why_refused(bytes, other), HasSubstr("files: it was made of a.sst of 100 bytes"));
  other = origin();
  other.files[1].mark = 10;
  EXPECT_THAT(why_refused(bytes, other), HasSubstr("run.json"));
  other = origin();
  other.files.pop_back();
  EXPECT_THAT(why_refused(bytes, other), HasSubstr("files: it was made of 2 files"));
}

template <class Change>
std::string why_changed(Change change) {
  JobPart part = recorded_part();
  change(part, part.ranks[0], *part.ranks[0].record);
  const std::string why = why_refused(rank_summary_bytes(part, origin()));
  const Status sound = check_part(part);
  EXPECT_EQ(why, sound ? "" : sound.error().message) << "the check is that of the values";
  return why;
}

TEST(RankSummary, WhatDoesNotSumNamesItsField) {
  EXPECT_THAT(
      why_changed([](auto&, RankPart& rank, auto&) { rank.summary.cells[0].ns_total -= 5; }),
      HasSubstr("cells: they sum to 5 ns less"));
  EXPECT_THAT(why_changed([](auto&, RankPart& rank, auto&) {
                rank.summary.partition.parts[0].ns_total += 1;
              }),
              HasSubstr("partition.parts: they sum to more"));
  EXPECT_THAT(
      why_changed([](auto&, RankPart& rank, auto&) { rank.summary.partition.wall_ns_total += 1; }),
      HasSubstr("partition.wall_ns_total: it is"));
  EXPECT_THAT(why_changed([](JobPart& part, auto&, RankRecord& record) {
                Owner other = part.owners[record.pieces[40].owner];
                other.cause = Cause::unknown;
                record.pieces[40].owner = part.owners.id_of(other);
              }),
              HasSubstr("pieces: those of"));
  EXPECT_THAT(why_changed([](auto&, auto&, RankRecord& record) { record.pieces[3].time.end -= 1; }),
              HasSubstr("pieces[4].time"));
  EXPECT_THAT(why_changed([](auto&, auto&, RankRecord& record) { record.pieces[2].owner = 999; }),
              HasSubstr("pieces[2].owner"));
  EXPECT_THAT(
      why_changed([](auto&, auto&, RankRecord& record) { record.pieces[2].collective = 999; }),
      HasSubstr("pieces[2].collective"));
  EXPECT_THAT(why_changed([](auto&, RankPart& rank, auto&) { rank.rank = 3; }), HasSubstr("rank:"));
  EXPECT_THAT(why_changed([](auto&, RankPart& rank, auto&) { rank.summary.counted.push_back(99); }),
              HasSubstr("counted:"));
  EXPECT_THAT(why_changed([](auto&, auto&, RankRecord& record) {
                std::swap(record.steps[0], record.steps[1]);
              }),
              HasSubstr("steps:"));
}

TEST(RankSummary, AStepTakesFewBytes) {
  const recorded_job::Plan plan{.ranks = 16, .steps = 50, .kernels = 300};
  const JobPart part = read_part(recorded_job::trace_of(plan, recorded_job::steps_of(plan), 5), {});
  EXPECT_LE(rank_summary_bytes(part, origin()).size(), 50U * 4096U);
}

TEST(RankSummary, ATextIsFoundInThePart) {
  EXPECT_TRUE(names(recorded_part(), "train.py"));
  EXPECT_FALSE(names(recorded_part(), "/nowhere"));
}

}  // namespace
}  // namespace stepscope::job
