// SPDX-License-Identifier: Apache-2.0
// Pieces of a run in traces of other tools.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/summary/parts.hpp"
#include "tests/core/model/trace_maker.hpp"

namespace stepscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Piece {
 public:
  Piece() { make.data.source = SourceKind::kineto; }

  void launch(std::uint32_t correlation) {
    make.call("cudaLaunchKernel", 1, now, now + 10, correlation);
    now += 20;
  }
  void kernel(std::uint32_t correlation) {
    make.kernel("gemm", 7, device, device + 10, correlation);
    device += 20;
  }
  void both(int count) {
    for (int i = 0; i < count; ++i) launch(++last), kernel(last);
  }

  std::vector<std::string> notes() {
    const Trace trace = make.build();
    std::vector<std::string> out;
    summary_parts::note_cuts(trace, {}, out);
    return out;
  }

  double lost() {
    const Trace trace = make.build();
    Steps steps;
    steps.list.push_back({.host = {0, now}, .window = {0, now}});
    return summary_parts::lost_device_work(trace, steps, summary_parts::counting_of(steps, {0}));
  }

  TraceMaker make;
  std::int64_t now = 1'000, device = 1'005;
  std::uint32_t last = 0;
};

TEST(CutNotes, AWholeTraceHasNone) {
  Piece piece;
  piece.both(10);
  EXPECT_THAT(piece.notes(), IsEmpty());
}

TEST(CutNotes, WorkThatWasLaunchedBeforeTheTrace) {
  Piece piece;
  piece.kernel(1'000);
  piece.both(50);
  EXPECT_THAT(piece.notes(), ElementsAre(HasSubstr("begins in the middle of the run: 1 of 51")));
}

TEST(CutNotes, LaunchesWhoseWorkComesBehindTheTrace) {
  Piece piece;
  piece.both(50);
  piece.launch(1'000), piece.launch(1'001);
  EXPECT_THAT(piece.notes(),
              ElementsAre(HasSubstr("ends in the middle of the run: of the last 2 of 52")));
}

// A graph is captured at the end, and what it holds runs later or never.
TEST(CutNotes, LaunchesOfACaptureLackNothing) {
  Piece piece;
  piece.both(50);
  piece.make.call("cudaStreamBeginCapture", 1, piece.now, piece.now + 10);
  piece.now += 20;
  for (std::uint32_t id = 1'000; id < 1'100; ++id) piece.launch(id);
  piece.make.call("cudaStreamEndCapture", 1, piece.now, piece.now + 10);
  EXPECT_THAT(piece.notes(), IsEmpty());
}

TEST(CutNotes, RecordsThatDoNotMeetInBetween) {
  const auto cut = [](Piece& piece) {
    piece.both(10);
    piece.launch(1'000), piece.kernel(1'001);
    piece.both(5);
  };
  Piece piece;
  cut(piece);
  EXPECT_THAT(piece.notes(), ElementsAre(HasSubstr("1 of 16 device ops have no launch"),
                                         HasSubstr("of 1 of 16 kernel launches")));
  Piece longer;  // a piece is built once
  cut(longer);
  longer.both(150);
  EXPECT_THAT(longer.notes(), IsEmpty()) << "few of many are no cut";
}

// The driver's call inside the runtime's is the same launch once more, and a captured launch is not
// work yet.
TEST(CutNotes, LaunchesThatAreNoneOfTheirOwn) {
  Piece piece;
  piece.both(150);
  piece.make.call("cudaLaunchKernel", 1, piece.now, piece.now + 10, 2'000);
  piece.make.call("cuLaunchKernel", 1, piece.now + 2, piece.now + 8, 2'001);
  piece.kernel(2'000);
  piece.now += 20;
  piece.launch(3'000);
  piece.make.call("cudaGraphLaunch", 1, piece.now, piece.now + 10, 3'001);
  piece.kernel(3'001);
  EXPECT_THAT(piece.notes(), IsEmpty());
}

TEST(CutNotes, MigrationsOfManagedMemoryAreNoCalls) {
  for (const MemoryKind memory : {MemoryKind::managed, MemoryKind::pinned}) {
    Piece piece;
    piece.both(5);
    for (int i = 0; i < 50; ++i, piece.device += 20)
      piece.make.copy(CopyKind::host_to_device, memory, memory, 9, piece.device, piece.device + 10,
                      0);
    EXPECT_EQ(piece.notes().empty(), memory == MemoryKind::managed);
  }
}

// Some profilers tie collectives to no call: their launches seem to lack their work.
TEST(CutNotes, CollectivesWithoutACorrelationAreNoCut) {
  Piece piece;
  for (int step = 0; step < 10; ++step) {
    piece.both(5);
    piece.launch(1'000 + static_cast<std::uint32_t>(step));
    piece.make.kernel("ncclDevKernel_AllReduce", 9, piece.device, piece.device + 5, 0);
  }
  EXPECT_THAT(piece.notes(), IsEmpty());
  Piece numbered;
  for (int step = 0; step < 10; ++step) {
    numbered.both(5);
    numbered.launch(1'000 + static_cast<std::uint32_t>(step));
    numbered.make.kernel("ncclDevKernel_AllReduce", 9, numbered.device, numbered.device + 5,
                         9'000 + static_cast<std::uint32_t>(step));
  }
  EXPECT_THAT(numbered.notes(), IsEmpty()) << "a stream of which nothing is tied to a call";
}

TEST(LostDeviceWork, IsReadOffTheLaunches) {
  Piece whole, piece, ours;
  whole.both(8);
  EXPECT_EQ(whole.lost(), 0);
  piece.both(8);
  for (int i = 0; i < 4; ++i) piece.launch(++piece.last);
  EXPECT_EQ(piece.lost(), 0.5);
  ours.make.data.source = SourceKind::stepscope;
  ours.both(8), ours.launch(++ours.last);
  EXPECT_EQ(ours.lost(), 0);
}

TEST(CutNotes, OurOwnRecorderTellsItself) {
  Piece piece;
  piece.make.data.source = SourceKind::stepscope;
  piece.kernel(1'000);
  piece.both(3);
  EXPECT_THAT(piece.notes(), IsEmpty());
}

}  // namespace
}  // namespace stepscope
