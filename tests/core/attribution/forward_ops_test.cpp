// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/places/forward_ops.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/core/model/trace_maker.hpp"

namespace stepscope {
namespace {

struct Maker : TraceMaker {
  RangeId op(std::string_view name, std::int64_t tid, std::int64_t begin, std::uint32_t next) {
    return numbered(range(HostKind::op, name, tid, begin, begin + 5), next, kNone);
  }
  RangeId launch(std::int64_t tid, std::int64_t begin, std::uint32_t next, std::uint32_t thread) {
    const CallId row = call("cuLaunchKernel", tid, begin, begin + 5);
    return numbered(data.calls.range[row], next, thread);
  }
  RangeId node(std::string_view name, std::int64_t tid, std::int64_t begin, std::uint32_t number,
               std::uint32_t of) {
    return numbered(range(HostKind::backward_node, name, tid, begin, begin + 5), number, of);
  }

 private:
  RangeId numbered(RangeId row, std::uint32_t sequence, std::uint32_t thread) {
    data.host_ranges.sequence[row] = sequence;
    data.host_ranges.forward_thread[row] = thread;
    return row;
  }
};

// The begin of the row in which the node at `time` was made; -1 where none is known.
std::int64_t made_at(const Trace& trace, std::int64_t time) {
  const ForwardOps forward(trace);
  const HostRanges& h = trace.host_ranges();
  for (RangeId r = 0; r < h.size(); ++r) {
    if (h.kind[r] != HostKind::backward_node || h.begin[r] != time) continue;
    return forward.of(r) == kNone ? -1 : h.begin[forward.of(r)];
  }
  return -2;
}

TEST(ForwardOps, ANodesNameSaysItsOp) {
  EXPECT_TRUE(is_node_of("MmBackward0", "aten::mm"));
  EXPECT_TRUE(
      is_node_of("autograd::engine::evaluate_function: LogSoftmaxBackward0", "aten::_log_softmax"));
  EXPECT_TRUE(is_node_of("MyFunctionBackward", "MyFunction"));
  EXPECT_FALSE(is_node_of("MmBackward0", "aten::addmm"));
  EXPECT_FALSE(is_node_of("Backward", ""));
}

TEST(ForwardOps, AnOpThatMakesNoNodeHasTheNumberOfTheNextThatDoes) {
  Maker make;
  make.op("aten::zeros", 1, 10, 4);
  make.op("aten::mm", 1, 20, 4);
  make.op("aten::relu", 1, 30, 5);
  make.node("MmBackward0", 2, 100, 4, 1);
  make.node("ReluBackward0", 2, 90, 5, 1);
  const Trace trace = make.build();
  EXPECT_EQ(made_at(trace, 100), 20);
  EXPECT_EQ(made_at(trace, 90), 30);
}

TEST(ForwardOps, ForwardThatIsNotInTheTraceIsNotGuessed) {
  Maker make;
  make.op("aten::mm", 1, 20, 4);
  make.node("MmBackward0", 2, 10, 4, 1);  // before it: of another count
  make.node("MmBackward0", 2, 50, 3, 1);  // before the first op's
  const Trace trace = make.build();
  EXPECT_EQ(made_at(trace, 10), -1);
  EXPECT_EQ(made_at(trace, 50), -1);
}

TEST(ForwardOps, WithoutOpsTheLaunchBehindTheNodeIsItsWork) {
  Maker make;
  make.launch(1, 10, 5, 1);
  make.launch(1, 20, 8, 1);  // nodes 5 and 6 launched nothing
  make.node("MmBackward0", 2, 100, 4, 1);
  make.node("ViewBackward0", 2, 110, 5, 1);
  make.node("ReluBackward0", 2, 120, 7, 1);
  make.node("LaterBackward0", 2, 130, 8, 1);
  const Trace trace = make.build();
  EXPECT_EQ(made_at(trace, 100), 10);
  EXPECT_EQ(made_at(trace, 110), 20);
  EXPECT_EQ(made_at(trace, 120), 20);
  EXPECT_EQ(made_at(trace, 130), -1);
}

TEST(ForwardOps, OfLaunchesPyTorchsNumberOfTheThreadDecides) {
  Maker make;
  make.launch(1, 10, 5, 1);
  make.launch(2, 11, 5, 2);
  make.node("MmBackward0", 3, 100, 4, 2);
  make.node("MmBackward0", 3, 110, 4, 1);
  make.node("MmBackward0", 3, 120, 4, 9);  // a thread that launched nothing
  const Trace trace = make.build();
  EXPECT_EQ(made_at(trace, 100), 11);
  EXPECT_EQ(made_at(trace, 110), 10);
  EXPECT_EQ(made_at(trace, 120), -1);
}

// Threads that train side by side, as profilers record them: PyTorch's numbers of the threads are
// not those of the system. Each thread's ops make nodes or do not; every node finds its op.
TEST(ForwardOps, EveryNodeFindsItsOpAmongThreads) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    Maker make;
    std::map<std::int64_t, std::int64_t> made;  // begin of a node -> begin of its op
    std::vector<std::int64_t> ends;
    for (std::uint32_t thread = 1; thread <= 1 + seed % 3; ++thread) {
      std::int64_t time = 10 * thread;
      std::uint32_t next = 5;
      std::vector<std::pair<std::string, std::int64_t>> nodes;
      for (int i = 0; i < 40; ++i, time += 100) {
        const std::string name = "op" + std::to_string(thread) + std::to_string(random() % 7);
        make.op("aten::" + name, thread, time, next);
        if (random() % 3 == 0) continue;
        nodes.emplace_back(name + "Backward0", time);
        ++next;
      }
      for (std::size_t i = nodes.size(); i-- > 0; time += 100) {
        make.node(nodes[i].first, 10, time, static_cast<std::uint32_t>(5 + i), 70 + thread);
        made[time] = nodes[i].second;
      }
    }
    const Trace trace = make.build();
    for (const auto& [node, op] : made) EXPECT_EQ(made_at(trace, node), op) << "seed " << seed;
  }
}

}  // namespace
}  // namespace stepscope
