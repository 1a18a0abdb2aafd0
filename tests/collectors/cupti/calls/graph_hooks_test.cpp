// SPDX-License-Identifier: Apache-2.0
// Nodes of CUDA graphs, from their making to the file.
#include "collectors/cupti/calls/graph_hooks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/attribution/places/captures.hpp"
#include "tests/collectors/cupti/cuda_calls.hpp"

namespace stepscope::cupti {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using GraphHooksTest = RecordedChild;

std::vector<std::string> notes_about_graphs(const Trace& trace) {
  std::vector<std::string> notes = trace.health().notes;
  std::erase_if(
      notes, [](const std::string& note) { return note.find("CUDA graphs") == std::string::npos; });
  return notes;
}

// A launch under capture makes a node; instantiating makes its clone, which is what a replay
// names.
TEST_F(GraphHooksTest, ANodeOfAGraphLeadsToTheLineOfItsCapture) {
  record([] {
    Options options;
    options.hooks.call_site = line_12_of_train;
    ASSERT_TRUE(start_collector(fake_cupti::library(), options));
    launch(handle(7), [] { fake_cupti::make_node(11); });
    fake_cupti::make_node(21, 11);
  });
  const Trace trace = read();
  const GraphNodes& nodes = trace.graph_nodes();
  // The clone is reported as new first.
  EXPECT_THAT(nodes.node, ElementsAre(11U, 21U, 21U));
  EXPECT_THAT(nodes.original, ElementsAre(0U, 0U, 11U));
  EXPECT_EQ(nodes.site[0], trace.host_ranges().site[0]);
  EXPECT_NE(nodes.site[0], kNone);
  EXPECT_EQ(nodes.site[2], kNone);
  EXPECT_GE(nodes.time[0], trace.host_ranges().begin[0]);
  EXPECT_LE(nodes.time[0], trace.host_ranges().end[0]);
  EXPECT_THAT(notes_about_graphs(trace), IsEmpty());
}

// The whole way: rings, buffers, file, reader.
TEST_F(GraphHooksTest, AKernelOfAReplayLeadsToItsCapture) {
  record([] {
    ASSERT_TRUE(start_collector(fake_cupti::library(), {}));
    const EventParameters stream{handle(7), handle(7)};
    fake_cupti::call(Domain::runtime, kBeginCapture, &stream);
    launch(handle(7), [] { fake_cupti::make_node(11); });
    fake_cupti::call(Domain::runtime, kEndCapture, &stream);
    fake_cupti::call(Domain::runtime, kInstantiate, nullptr, [] { fake_cupti::make_node(21, 11); });
    const std::uint32_t replay = call_both(kGraphLaunch, &stream, kDriverGraphLaunch, &stream);
    const std::uint64_t start = now_ns();
    KernelRecord kernel = fake_cupti::kernel("gemm", start, start + 500, 7, replay);
    kernel.graph = 3;
    kernel.graph_node = 21;
    fake_cupti::state().waiting = {kernel};
  });
  const Trace trace = read();
  ASSERT_EQ(trace.device_ops().size(), 1U);
  const Captures captures(trace);
  const std::uint32_t row = captures.of(0);
  ASSERT_NE(row, kNone);
  EXPECT_EQ(trace.graph_nodes().node[row], 11U);
  ASSERT_TRUE(captures.begin_of(row).has_value());
  EXPECT_EQ(captures.begin_of(row)->time, trace.host_ranges().begin[trace.calls().range[0]]);
}

TEST_F(GraphHooksTest, AnInstantiationMakesClonesOnly) {
  record([] {
    ASSERT_TRUE(start_collector(fake_cupti::library(), {}));
    fake_cupti::call(Domain::runtime, kInstantiate, nullptr, [] {
      fake_cupti::make_node(21, 11);
      fake_cupti::make_node(22);  // CUPTI does not say of what
    });
    fake_cupti::make_node(12);
  });
  const Trace trace = read();
  EXPECT_THAT(trace.graph_nodes().node, ElementsAre(21U, 12U));
  EXPECT_THAT(trace.graph_nodes().original, ElementsAre(11U, 0U));
}

TEST_F(GraphHooksTest, LightLeavesNodesOfGraphsOut) {
  record([] {
    Options options;
    options.hooks.level = Level::light;
    ASSERT_TRUE(start_collector(fake_cupti::library(), options));
    fake_cupti::make_node(11);
    recorder::mark(recorder::intern_name("m", 1), 0);
  });
  const Trace trace = read();
  EXPECT_EQ(trace.graph_nodes().size(), 0U);
  EXPECT_THAT(notes_about_graphs(trace), IsEmpty());
}

TEST_F(GraphHooksTest, ACuptiTooOldForNodesOfGraphsSaysSoOnce) {
  record([] {
    Library old = fake_cupti::library();
    old.graph_node_id = nullptr;
    ASSERT_TRUE(start_collector(old, {}));
    fake_cupti::make_node(11);
    launch();
  });
  const Trace trace = read();
  EXPECT_THAT(call_names(trace), ElementsAre("cuLaunchKernel"));
  EXPECT_EQ(trace.graph_nodes().size(), 0U);
  EXPECT_THAT(notes_about_graphs(trace), ElementsAre(HasSubstr("nodes of CUDA graphs")));
}

TEST_F(GraphHooksTest, CallbacksOfNodesThatCuptiDoesNotHaveAreNoted) {
  record([] {
    fake_cupti::state().unknown_resources = {kGraphNodeCloned};
    ASSERT_TRUE(start_collector(fake_cupti::library(), {}));
    recorder::mark(recorder::intern_name("m", 1), 0);
  });
  EXPECT_THAT(notes_about_graphs(read()), ElementsAre(HasSubstr("nodes of CUDA graphs")));
}

TEST_F(GraphHooksTest, NodesWithoutAnIdGiveNoRow) {
  record([] {
    ASSERT_TRUE(start_collector(fake_cupti::library(), {}));
    fake_cupti::make_node(0);
    fake_cupti::make_node(11);
  });
  EXPECT_THAT(read().graph_nodes().node, ElementsAre(11U));
}

TEST_F(GraphHooksTest, NodesBeyondTheBoundAreLeftOutAndThatIsSaidOnce) {
  record([] {
    ASSERT_TRUE(start_collector(fake_cupti::library(), {}));
    for (std::uint32_t i = 1; i <= kMaxGraphNodes + 3; ++i) fake_cupti::make_node(i);
  });
  const Trace trace = read();
  EXPECT_EQ(trace.graph_nodes().size() + trace.health().dropped_records, kMaxGraphNodes);
  EXPECT_THAT(notes_about_graphs(trace), ElementsAre(HasSubstr("over 1048576 nodes")));
}

}  // namespace
}  // namespace stepscope::cupti
