// SPDX-License-Identifier: Apache-2.0
// Two runs, findings, ranks and what is kept, over real traces.
#include "viewer/view/desk.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/symbols/source_texts.hpp"
#include "reports/html/html_pages.hpp"
#include "reports/text/text_pages.hpp"
#include "tests/core/steps/nest_maker.hpp"
#include "tests/core/summary/two_ranks.hpp"
#include "tests/viewer/sample_run.hpp"
#include "viewer/view/details.hpp"
#include "viewer/view/tables/table.hpp"

namespace stepscope::viewer {
namespace {

using testing::HasSubstr;

const Table& table(const std::vector<Table>& tables, const std::string& title) {
  for (const Table& one : tables) {
    if (one.title == title) return one;
  }
  throw std::runtime_error("no table " + title);
}

// Pages write "<" as an entity. A bool, since a page is too long to be printed where it fails.
bool page_holds(const std::string& page, std::string text) {
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1))
    text.replace(at, 1, "&lt;");
  return page.find(text) != std::string::npos;
}

// ---- the same numbers as the reports ----

TEST(SameNumbers, LinesArePairedByTheirTextAsDiffDoes) {
  const std::filesystem::path folder = testing::TempDir() + "/desk_test.scope";
  std::filesystem::create_directory(folder);
  const SourceText text{.file = "/home/me/train.py", .hashes = {7}, .lines = {{50, "x = 1"}}};
  ASSERT_TRUE(write_sources(folder / kSourcesFile, {text}).ok());
  NestMaker program;
  program.loop(10, 8, [&](int) { program.train(); });
  program.make.data.path = folder;
  const auto run = analyse(program.make.build(), {.find = false});
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(run.ok());
  ASSERT_EQ(run->summary.sources.size(), 1U);
  EXPECT_EQ(run->summary.sources[0].lines.at(50), "x = 1");
}

TEST(SameNumbers, OwnersPhasesAndKernelsAreThoseOfTextAndPage) {
  const Desk desk({slow_run()});
  const Summary& summary = desk.run(0).summary;
  const std::string text = text_report(summary, {});
  const std::string page = html_report({summary}, {.with_source = false});
  const std::vector<Table> tables = tables_of(desk);
  for (const char* const title : {"Who owns the time", "Phases"}) {
    const Table& one = table(tables, title);
    for (std::size_t i = 0; i < std::min<std::size_t>(5, one.rows.size()); ++i) {
      for (std::size_t cell = 1; cell < 3; ++cell) {
        EXPECT_THAT(text, HasSubstr(one.rows[i].cells[cell].text)) << title;
        EXPECT_TRUE(page_holds(page, one.rows[i].cells[cell].text)) << one.rows[i].cells[cell].text;
      }
    }
  }
  const Table& owners = table(tables, "Who owns the time");
  std::int64_t sum = 0;
  for (const TableRow& row : owners.rows) {
    if (!row.sum) sum += static_cast<std::int64_t>(*row.cells[1].value);
  }
  EXPECT_EQ(sum, summary.partition.wall_ns_total);
  EXPECT_EQ(static_cast<std::int64_t>(*owners.rows.back().cells[1].value), sum);
  for (const TableRow& row : table(tables, "Kernels").rows)
    EXPECT_TRUE(page_holds(page, row.cells[1].text)) << row.cells[1].text;
}

TEST(SameNumbers, FindingsAreThoseOfTextAndPage) {
  const Desk desk({slow_run()});
  const Summary& summary = desk.run(0).summary;
  const std::string text = text_report(summary, {});
  const std::string page = html_report({summary}, {.with_source = false});
  const Table findings = table(tables_of(desk), "What to do");
  ASSERT_FALSE(findings.rows.empty());
  for (std::size_t i = 0; i < std::min<std::size_t>(3, findings.rows.size()); ++i) {
    EXPECT_THAT(text, HasSubstr(findings.rows[i].cells[1].text));  // what it gives
    EXPECT_TRUE(page_holds(page, findings.rows[i].cells[1].text)) << findings.rows[i].cells[1].text;
    EXPECT_THAT(text, HasSubstr(summary.findings->found[i].id));
  }
}

TEST(SameNumbers, TheDifferenceIsThatOfDiffAndSums) {
  const Desk desk({slow_run(), fast_run()});
  const Comparison& comparison = *desk.comparison();
  ASSERT_TRUE(comparison.shown());
  const std::string text = text_diff(comparison, {});
  const std::vector<Table> tables = tables_of(desk);
  const Table& parts = table(tables, "Difference");
  std::int64_t sum = 0;
  for (const TableRow& row : parts.rows) {
    if (!row.sum) sum += static_cast<std::int64_t>(*row.cells[0].value);
  }
  EXPECT_EQ(sum, comparison.delta_ns_total);
  EXPECT_THAT(text, HasSubstr(parts.rows.front().cells[0].text));
  const std::string work = parts.rows.front().cells[5].text;  // "operation: how"
  EXPECT_THAT(text, HasSubstr(work.substr(work.rfind(": ") + 2)));
  for (const char* const title : {"By cause", "By phase", "By line"}) {
    std::int64_t difference = 0;
    for (const TableRow& row : table(tables, title).rows) {
      if (!row.sum) difference += static_cast<std::int64_t>(*row.cells[3].value);
    }
    EXPECT_EQ(difference, comparison.delta_ns_total) << title;
  }
}

// ---- two runs ----

TEST(Desk, APartOfTheDifferenceIsShownOnBothSides) {
  Desk desk({slow_run(), fast_run()});
  desk.open();
  std::size_t on_both = 0;
  for (std::size_t i = 0; i < desk.groups().size(); ++i) {
    desk.show_group(i);
    EXPECT_EQ(desk.chosen_group(), i);
    for (std::size_t side = 0; side < 2; ++side) {
      const auto event = desk.side(side).selected_event();
      if (!event) continue;
      ASSERT_EQ(event->kind, EventKind::segment);
      const Cause cause = desk.run(side).attribution.process.segments[event->id].cause;
      const auto& parts = desk.groups()[i].parts;
      EXPECT_TRUE(std::any_of(parts.begin(), parts.end(),
                              [&](const DeltaPart* part) { return part->cause == cause; }));
    }
    const bool both = desk.side(0).selected() && desk.side(1).selected();
    on_both += both ? 1 : 0;
    EXPECT_EQ(both, desk.notice.empty());
  }
  EXPECT_GT(on_both, 3U);
}

TEST(Desk, AKernelHasAHistogramOverBothRunsWithTheReportsSums) {
  Desk desk({slow_run(), fast_run()});
  const KernelRow& kernel = desk.run(0).summary.kernels.front();
  desk.choose_kernel(kernel.name);
  const KernelLengths& lengths = *desk.kernel();
  ASSERT_EQ(lengths.sides.size(), 2U);
  for (std::size_t side = 0; side < 2; ++side) {
    std::uint64_t calls = 0;
    std::int64_t ns = 0;
    for (const KernelRow& row : desk.run(side).summary.kernels) {
      if (row.name != kernel.name) continue;
      calls += row.calls_total;
      ns += row.ns_total;
    }
    EXPECT_EQ(lengths.sides[side].count, calls);
    EXPECT_EQ(lengths.sides[side].sum_ns, ns);
    std::uint64_t in_bins = 0;
    for (const std::uint64_t count : lengths.histogram.counts[side]) in_bins += count;
    EXPECT_EQ(in_bins, calls);
  }
}

TEST(Desk, RunsThatCannotBeComparedSayWhy) {
  auto other = std::make_shared<viewer::Run>(*fast_run());
  other->summary.run.device = "another GPU";
  Desk desk({fast_run(), other});
  desk.open();
  ASSERT_FALSE(desk.comparison()->shown());
  EXPECT_THAT(desk.sentence(), HasSubstr("Not comparable"));
  EXPECT_THAT(as_text(tables_of(desk).front()), HasSubstr(desk.comparison()->why_not.front()));
}

// ---- findings ----

TEST(Desk, AFindingGoesToItsEvidenceOneAfterTheOther) {
  Desk desk({slow_run()});
  desk.open();
  const auto& found = desk.run(0).summary.findings->found;
  bool shown = false;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].evidence.empty()) continue;
    desk.show_finding(i);
    shown = true;
    EXPECT_EQ(id_of(*desk.active().selected_event()), found[i].evidence.front());
    std::vector<std::string> said;
    for (const Detail& detail : details_of(desk.run(0), *desk.active().selected_event()))
      said.push_back(detail.what + " " + detail.value);
    EXPECT_THAT(said, testing::Contains(HasSubstr("Finding " + found[i].id)));
    if (found[i].evidence.size() < 2) continue;
    desk.show_finding(i);
    EXPECT_EQ(id_of(*desk.active().selected_event()), found[i].evidence[1]);
  }
  EXPECT_TRUE(shown);
}

TEST(IdleGaps, TileWhatTheDeviceIdles) {
  const auto& run = *slow_run();
  std::int64_t idle = 0;
  for (const Segment& segment : run.attribution.process.segments)
    idle += is_device_busy(segment.cause) ? 0 : segment.time.length();
  std::int64_t in_gaps = 0;
  for (const IdleGap& gap : run.gaps) {
    std::int64_t owned = 0;
    for (const GapOwner& owner : owners_of(run.attribution.process, gap)) owned += owner.ns;
    EXPECT_EQ(owned, gap.time.length());
    in_gaps += owned;
  }
  EXPECT_EQ(in_gaps, idle);
}

TEST(Desk, KernelsOfEveryRankHaveTheirClass) {
  const auto run = analyse(two_ranks());
  ASSERT_TRUE(run.ok()) << run.error().message;
  std::size_t of_others = 0;
  for (DeviceOpId op = 0; op < run->trace.device_ops().size(); ++op) {
    const bool gemm =
        run->trace.text(run->trace.device_ops().name[op]).find("gemm") != std::string_view::npos;
    const Cause cause = gemm ? Cause::gpu_gemm : Cause::comm_transfer;
    EXPECT_EQ(look_of(*run, {EventKind::device_op, op}).index, static_cast<std::uint32_t>(cause));
    of_others += run->trace.device_ops().stream[op] == 1 ? 1U : 0U;
  }
  EXPECT_GT(of_others, 0U);
}

TEST(Desk, FindingsOfAllRanksStandBeforeThoseOfOne) {
  auto run = analyse(two_ranks());
  ASSERT_TRUE(run.ok()) << run.error().message;
  ASSERT_TRUE(run->job && run->job->findings);
  Desk desk({std::make_shared<const viewer::Run>(std::move(*run))});
  desk.open();
  const std::vector<Table> tables = tables_of(desk);
  EXPECT_EQ(tables.front().title, "What to do, all ranks");
  EXPECT_EQ(tables.front().rows.size(), desk.run(0).job->findings->found.size());
  ASSERT_FALSE(tables.front().rows.empty());
  for (const TableRow& row : tables.front().rows) {
    EXPECT_EQ(row.action, RowAction::nothing);
    EXPECT_FALSE(row.cells.back().text.empty()) << "its fix";
  }
}

TEST(Desk, TheLateRankIsCalledLateNotTheOneOfTheLongestSteps) {
  auto run = analyse(two_ranks());
  ASSERT_TRUE(run.ok() && run->job);
  EXPECT_EQ(rank_note(*run, 0), "");
  EXPECT_EQ(rank_note(*run, 1), "late: device");
  run->job = nullptr;
  EXPECT_EQ(rank_note(*run, run->ranks.slowest), "slowest");
}

TEST(Desk, KernelsAreGroupedAndKeepTheirSum) {
  Desk desk({fast_run()});
  desk.open();
  const auto sum = [](const Table& kernels) {
    double out = 0;
    for (const TableRow& row : kernels.rows) out += *row.cells[1].value;
    return out;
  };
  const Table plain = table(tables_of(desk), "Kernels");
  for (const auto by : {KernelGrouping::name, KernelGrouping::cause, KernelGrouping::phase}) {
    desk.kernel_grouping = by;
    const Table grouped = table(tables_of(desk), "Kernels");
    EXPECT_DOUBLE_EQ(sum(grouped), sum(plain));
    EXPECT_LT(grouped.rows.size(), plain.rows.size());
  }
  // Grouped by phase now: a click goes to the phase.
  const TableRow largest = table(tables_of(desk), "Kernels").rows[0];
  act(desk, largest);
  const auto event = desk.active().selected_event();
  ASSERT_TRUE(event);
  EXPECT_EQ(phase_path(desk.active().run(), phase_of(desk.active().run(), *event)), largest.text);
}

TEST(Desk, ARankIsPickedFromTheTableOfRanks) {
  auto run = analyse(two_ranks());
  ASSERT_TRUE(run.ok()) << run.error().message;
  Desk desk({std::make_shared<const viewer::Run>(std::move(*run))});
  desk.open();
  const Table ranks = table(tables_of(desk), "Ranks");
  ASSERT_EQ(ranks.rows.size(), 2U);
  EXPECT_THAT(ranks.rows[0].cells[0].text, HasSubstr("shown"));
  act(desk, ranks.rows[1]);
  EXPECT_EQ(desk.generation(), 1U);
  EXPECT_EQ(desk.active().run().trace.data().processes[desk.active().run().steps.process].rank, 1);
  EXPECT_THAT(table(tables_of(desk), "Ranks").rows[1].cells[0].text, HasSubstr("shown"));
  EXPECT_FALSE(desk.pick_rank(7).ok());
  EXPECT_EQ(desk.generation(), 1U);
  // The job's ranks are those of the whole run, whichever is shown; a click picks one.
  const Table job = table(tables_of(desk), "Ranks of the job");
  ASSERT_EQ(job.rows.size(), 2U);
  EXPECT_EQ(job.rows[0].cells[0].text, "rank 0");
  EXPECT_GT(job.rows[0].cells[4].value, job.rows[1].cells[4].value) << "rank 0 waits";
  act(desk, job.rows[0]);
  EXPECT_EQ(desk.active().run().trace.data().processes[desk.active().run().steps.process].rank, 0);
  act(desk, job.rows[1]);
  // The collective names who was waited for.
  const auto& last = desk.active().run().attribution.last_entries;
  ASSERT_FALSE(last.empty());
  std::vector<std::string> said;
  for (const Detail& detail :
       details_of(desk.active().run(), {EventKind::device_op, last.begin()->first}))
    said.push_back(detail.what + " " + detail.value);
  EXPECT_THAT(said, testing::Contains("Last to enter rank 1"));
}

// A window that is closed before its run is analysed has no lanes of steps and owners.
TEST(Saved, OfARunThatWasNotAnalysedTheMarksAreKeptAndTheLanesStayAsTheyWere) {
  const std::string folder = testing::TempDir() + "/viewer_glance" + std::to_string(getpid());
  Desk analysed({fast_run()});
  analysed.active().hidden[0] = true;  // steps
  ASSERT_TRUE(save(analysed, folder));
  Desk glanced({std::make_shared<const viewer::Run>(glance(fast_run()->trace))});
  load_saved(glanced, folder);
  glanced.active().add_mark({{fast_run()->trace.begin(), fast_run()->trace.end()}, "all"});
  ASSERT_TRUE(save(glanced, folder));
  Desk again({fast_run()});
  load_saved(again, folder);
  EXPECT_EQ(again.active().hidden, analysed.active().hidden);
  EXPECT_EQ(again.active().marks(), glanced.active().marks());
  std::filesystem::remove_all(folder);
}

TEST(Saved, MarksPinsAndSettingsComeBackAndDamageIsPassedOver) {
  const std::string folder =
      testing::TempDir() + "/viewer_state" + std::to_string(getpid()) + "/deeper";
  Desk desk({fast_run()});
  desk.light = true;
  desk.text_scale = 1.21F;
  desk.panels.details_width = 333;
  desk.active().select(EventRef{EventKind::device_op, 10});
  desk.apply(Command::mark);
  desk.apply(Command::pin_lane);
  desk.active().hidden[2] = true;
  ASSERT_TRUE(save(desk, folder));
  Desk again({fast_run()});
  load_saved(again, folder);
  EXPECT_TRUE(again.light);
  EXPECT_FLOAT_EQ(again.text_scale, 1.21F);
  EXPECT_EQ(again.panels.details_width, 333);
  EXPECT_FALSE(again.panels.tables_height);
  EXPECT_EQ(again.active().marks(), desk.active().marks());
  EXPECT_EQ(again.active().pinned, desk.active().pinned);
  EXPECT_EQ(again.active().hidden, desk.active().hidden);
  EXPECT_EQ(again.active().collapsed, desk.active().collapsed);
  for (const auto& file : std::filesystem::directory_iterator(folder))
    std::ofstream(file.path()) << R"({"marks": [3, {"begin_ns": "x", "end_ns": 1}], "light": 7, )";
  Desk damaged({fast_run()});
  load_saved(damaged, folder);
  EXPECT_TRUE(damaged.active().marks().empty());
  std::filesystem::remove_all(std::filesystem::path(folder).parent_path());
  EXPECT_FALSE(save(desk, "/proc/no/such"));
  load_saved(damaged, "/proc/no/such");
}

TEST(Saved, WhatAnotherViewerIsWritingStaysAndWhatAKilledOneLeftGoes) {
  namespace fs = std::filesystem;
  const std::string folder = testing::TempDir() + "/viewer_two" + std::to_string(getpid());
  fs::create_directories(folder);
  const std::string now = folder + "/settings.json.part", killed = now + "-gone";
  for (const std::string& path : {now, killed}) std::ofstream(path) << "{";
  fs::last_write_time(killed, fs::file_time_type::clock::now() - std::chrono::hours(48));
  ASSERT_TRUE(save(Desk({fast_run()}), folder));
  EXPECT_EQ(fs::file_size(now), 1U);
  EXPECT_FALSE(fs::exists(killed));
  const auto files = std::distance(fs::directory_iterator(folder), fs::directory_iterator());
  EXPECT_EQ(files, 3) << "settings, the trace's, and the other viewer's";
  fs::remove_all(folder);
}

TEST(Palette, FindsByWordsInAnyOrder) {
  Desk desk({fast_run()});
  const auto entries = palette_entries(desk, "OWNS who");
  ASSERT_FALSE(entries.empty());
  EXPECT_EQ(entries.front().kind, PaletteEntry::Kind::lane);
  run_entry(desk, entries.front());
  EXPECT_EQ(desk.active().wanted_lane, entries.front().index);
  EXPECT_TRUE(palette_entries(desk, "no such thing").empty());
}

TEST(Tables, SortFilterAndCopy) {
  const Desk desk({slow_run()});
  Table kernels = table(tables_of(desk), "Kernels");
  sort_by(kernels, 2, true);
  for (std::size_t i = 1; i < kernels.rows.size(); ++i)
    EXPECT_GE(*kernels.rows[i - 1].cells[2].value, *kernels.rows[i].cells[2].value);
  const Table some = filtered(kernels, "GEMM");
  EXPECT_LT(some.rows.size(), kernels.rows.size());
  Table owners = table(tables_of(desk), "Who owns the time");
  sort_by(owners, 1, false);
  EXPECT_EQ(owners.rows.back().cells[0].text, "= wall time");
  const std::string text = as_text(owners);
  EXPECT_EQ(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')),
            owners.rows.size() + 1);
}

}  // namespace
}  // namespace stepscope::viewer
