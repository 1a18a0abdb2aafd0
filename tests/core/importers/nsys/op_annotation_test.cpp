// SPDX-License-Identifier: Apache-2.0
#include "core/importers/nsys/tables.hpp"

#include <gtest/gtest.h>

#include "core/importers/nsys/names.hpp"

namespace stepscope::nsys {
namespace {

TEST(OpAnnotation, ArgumentsAreCutOffAndTheSequenceIsRead) {
  const auto op = parse_op_annotation("aten::mm, seq = 12, op_id = 314290, sizes = [[8, 8], []]");
  ASSERT_TRUE(op);
  EXPECT_EQ(op->name, "aten::mm");
  EXPECT_EQ(op->kind, HostKind::op);
  EXPECT_EQ(op->sequence, 12U);
  EXPECT_EQ(parse_op_annotation("aten::view, op_id = 3")->sequence, kNoSequence);
  EXPECT_EQ(parse_op_annotation("aten::view")->name, "aten::view");
}

TEST(OpAnnotation, PyProfWritesADictionary) {
  const auto op = parse_op_annotation(
      "{'mod': 'torch.nn.functional', 'op': 'conv2d', 'args': [{'name': '', 'type': 'tensor'}]}");
  ASSERT_TRUE(op);
  EXPECT_EQ(op->name, "torch.nn.functional.conv2d");
  EXPECT_EQ(op->kind, HostKind::op);
  EXPECT_TRUE(surrounds_op("{'traceMarker': ['train.py:34'], 'funcStack': '/<module>/randn'}"));
  EXPECT_FALSE(surrounds_op("{'mod': 'torch', 'op': 'randn', 'args': []}"));
  EXPECT_FALSE(surrounds_op("forward"));
}

TEST(OpAnnotation, BackwardNodesAreKnownByName) {
  EXPECT_EQ(parse_op_annotation("MulBackward0, seq = 4, op_id = 9")->kind, HostKind::backward_node);
  EXPECT_EQ(
      parse_op_annotation("autograd::engine::evaluate_function: MulBackward0, op_id = 9")->kind,
      HostKind::backward_node);
}

TEST(OpAnnotation, WhatTheProgramNamedStaysIts) {
  EXPECT_FALSE(parse_op_annotation("forward"));
  EXPECT_FALSE(parse_op_annotation("Backward"));
  EXPECT_FALSE(parse_op_annotation(""));
  const auto scope = parse_op_annotation("train_step, op_id = 12");
  ASSERT_TRUE(scope);
  EXPECT_EQ(scope->kind, HostKind::user_scope);
  EXPECT_EQ(scope->name, "train_step");
}

TEST(NsysNames, OnlyTheNumberOfTheCallIsCutFromItsName) {
  EXPECT_EQ(api_name("cudaLaunchKernel_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(api_name("cuMemcpyHtoDAsync_v2"), "cuMemcpyHtoDAsync_v2");
  EXPECT_EQ(api_name("_v7000"), "");
  EXPECT_EQ(api_name("v7000"), "v7000");
  EXPECT_EQ(api_name(""), "");
}

TEST(NsysNames, CodesOutOfRangeAreUnknown) {
  EXPECT_EQ(copy_kind(-1), CopyKind::none);
  EXPECT_EQ(copy_kind(99), CopyKind::none);
  EXPECT_EQ(copy_kind(10), CopyKind::peer);
  EXPECT_EQ(memory_kind(99), MemoryKind::unknown);
  EXPECT_EQ(memory_kind(0), MemoryKind::pageable);
  EXPECT_EQ(sync_kind(2), ApiKind::stream_wait_event);
  EXPECT_EQ(sync_kind(7), ApiKind::other);
  EXPECT_EQ(copy_name(1, 1, 2), "Memcpy HtoD (Pinned -> Device)");
}

TEST(NsysNames, CallsOfTheSystemWaitOrMoveData) {
  EXPECT_EQ(kind_of_os_call("pthread_cond_timedwait"), HostKind::off_cpu);
  EXPECT_EQ(kind_of_os_call("epoll_wait"), HostKind::off_cpu);
  EXPECT_EQ(kind_of_os_call("read"), HostKind::io);
  EXPECT_EQ(kind_of_os_call("pthread_create"), HostKind::other);
  EXPECT_EQ(kind_of_os_call("ioctl"), HostKind::other);
}

}  // namespace
}  // namespace stepscope::nsys
