// SPDX-License-Identifier: Apache-2.0
#include "collectors/host_sampler/sampled_place.hpp"

#include <gtest/gtest.h>

#include "collectors/host_sampler/python_state.hpp"
#include "collectors/host_sampler/sample_queue.hpp"
#include "collectors/python_frames/known_code.hpp"
#include "core/model/events.hpp"
#include "tests/collectors/fake_recorder/fake_recorder.hpp"
#include "tests/collectors/host_sampler/fake_process.hpp"

namespace stepscope::host_sampler {
namespace {

constexpr const char* kUser = "/home/me/train.py";
constexpr const char* kQueue = "/usr/lib/python3.12/queue.py";
constexpr const char* kThreading = "/usr/lib/python3.12/threading.py";
constexpr const char* kWorker = "/x/site-packages/torch/utils/data/_utils/worker.py";
constexpr const char* kFetch = "/x/site-packages/torch/utils/data/_utils/fetch.py";
constexpr const char* kLoader = "/x/site-packages/torch/utils/data/dataloader.py";

class SampledPlace : public testing::Test {
 protected:
  Reading read(Address thread, Whose whose = Whose::own) {
    return read_place(process, process.layout(), codes, thread, whose, place);
  }
  std::string site() const {
    const fake_recorder::Site at = fake_recorder::site(place.site);
    return at.file + ":" + std::to_string(at.line) + " " + at.function;
  }
  std::string called() const { return fake_recorder::text(place.called); }
  std::string innermost() const { return fake_recorder::text(place.innermost); }

  // Frames from the outermost in; returns the innermost.
  Address chain(const std::vector<std::pair<const char*, const char*>>& functions) {
    Address frame = 0;
    int line = 10;
    for (const auto& [file, name] : functions)
      frame = process.frame(process.code(file, name, line++), frame);
    return frame;
  }

  FakeProcess process;
  CodeTable codes{process.python()};
  Place place;
};

TEST_F(SampledPlace, IsTheInnermostLineOfTheUserAndWhatItCalled) {
  const Address thread = process.thread(chain(
      {{kUser, "main"}, {kUser, "load"}, {kQueue, "Queue.get"}, {kThreading, "Condition.wait"}}));
  ASSERT_EQ(read(thread), Reading::place);
  EXPECT_EQ(site(), "/home/me/train.py:11 load");
  EXPECT_EQ(called(), "queue.Queue.get");
  EXPECT_EQ(innermost(), "threading.Condition.wait");
  EXPECT_EQ(place.flags, 0);
}

TEST_F(SampledPlace, WithoutUserCodeTheLeastForeignFrameStandsIn) {
  const Address thread = process.thread(
      chain({{kThreading, "Thread.run"}, {"/x/site-packages/pack/a.py", "run"}, {kQueue, "get"}}));
  ASSERT_EQ(read(thread), Reading::place);
  EXPECT_EQ(site(), "/x/site-packages/pack/a.py:11 run");
}

TEST_F(SampledPlace, AnInstructionOfNoLineIsAtTheFirstOfItsFunction) {
  const Address code = process.code(kUser, "add", 13);
  Address table = 0;
  ASSERT_TRUE(process.load(code + process.layout().code_lines, table));
  process.set(table + process.layout().sequence_size, std::size_t{1});
  process.set(table + process.layout().bytes_data, std::uint8_t{0x80 | 15 << 3 | 7});
  ASSERT_EQ(read(process.thread(process.frame(code, 0))), Reading::place);
  EXPECT_EQ(site(), "/home/me/train.py:13 add");
}

// The table of code objects keeps one of them alone.
TEST_F(SampledPlace, TwoCodeObjectsOfOneSlotDoNotTearTheStack) {
  constexpr std::uint64_t kSlots = 4096;
  const Address outer = process.code(kUser, "outer", 10);
  Address inner = outer;
  while (inner == outer || python::mix(inner, 0) % kSlots != python::mix(outer, 0) % kSlots)
    inner = process.code(kQueue, "Queue.get", 20);
  const Address thread = process.thread(process.frame(inner, process.frame(outer, 0)));
  ASSERT_EQ(read(thread), Reading::place);
  EXPECT_EQ(site(), "/home/me/train.py:10 outer");
}

TEST_F(SampledPlace, AThreadWithoutFramesIsNowhere) {
  EXPECT_EQ(read(process.thread(0)), Reading::nothing);
}

TEST_F(SampledPlace, TheLoaderIsTold) {
  const Address thread =
      process.thread(chain({{kUser, "train"}, {kLoader, "__next__"}, {kQueue, "Queue.get"}}));
  ASSERT_EQ(read(thread), Reading::place);
  EXPECT_EQ(place.flags, kSampleInLoader);
}

TEST_F(SampledPlace, CodeThatTheLoaderCallsIsInIt) {
  const Address chooses = process.thread(
      chain({{kUser, "train"}, {kLoader, "_next_index"}, {kUser, "__iter__"}, {kUser, "weigh"}}));
  ASSERT_EQ(read(chooses), Reading::place);
  EXPECT_EQ(site(), "/home/me/train.py:13 weigh");
  EXPECT_EQ(place.flags, kSampleInLoader);
  const Address makes = process.thread(
      chain({{kUser, "train"}, {kLoader, "__next__"}, {kFetch, "fetch"}, {kUser, "__getitem__"}}));
  ASSERT_EQ(read(makes), Reading::place);
  EXPECT_EQ(place.flags, kSampleInLoader | kSampleFetching);
}

TEST_F(SampledPlace, ASubsetLiesBetweenADatasetAndWhatFetches) {
  const Address makes = process.thread(chain({{kUser, "train"},
                                              {kLoader, "__next__"},
                                              {kFetch, "fetch"},
                                              {kLoader, "Subset.__getitems__"},
                                              {kLoader, "<listcomp>"},
                                              {kLoader, "ConcatDataset.__getitem__"},
                                              {kUser, "__getitem__"},
                                              {kUser, "rotate"}}));
  ASSERT_EQ(read(makes), Reading::place);
  EXPECT_EQ(place.flags, kSampleInLoader | kSampleFetching);
}

TEST_F(SampledPlace, CodeAroundIsNoLoadersWork) {
  const Address thread = process.thread(chain({{kLoader, "__next__"},
                                               {kUser, "a"},
                                               {kUser, "b"},
                                               {kUser, "c"},
                                               {kUser, "d"},
                                               {kUser, "e"}}));
  ASSERT_EQ(read(thread), Reading::place);
  EXPECT_EQ(place.flags, 0);  // too far out
}

TEST_F(SampledPlace, AWorkerThatMakesABatchIsInItsDataset) {
  const Address thread = process.thread(
      chain({{kUser, "train"}, {kWorker, "_worker_loop"}, {kFetch, "fetch"}, {kUser, "getitem"}}));
  ASSERT_EQ(read(thread, Whose::maybe_worker), Reading::place);
  EXPECT_EQ(site(), "/home/me/train.py:13 getitem");
  EXPECT_EQ(place.flags, kSampleWorker | kSampleFetching);
}

TEST_F(SampledPlace, AnIdleWorkerIsAtNoLineOfTheProcessThatForkedIt) {
  const Address thread =
      process.thread(chain({{kUser, "train"}, {kWorker, "_worker_loop"}, {kQueue, "Queue.get"}}));
  ASSERT_EQ(read(thread, Whose::maybe_worker), Reading::place);
  EXPECT_EQ(place.site, 0U);
  EXPECT_EQ(place.flags, kSampleWorker);
}

TEST_F(SampledPlace, APageThatIsGoneIsTorn) {
  const Address frame = chain({{kUser, "main"}});
  const Address thread = process.thread(frame);
  Address c_frame = 0;
  (void)process.load(thread + process.layout().thread_frame, c_frame);
  process.set_innermost(thread, 0x6000'0000'0000);
  EXPECT_EQ(read(thread), Reading::torn);
  process.set_innermost(thread, frame + 4);  // no frame lies there
  EXPECT_EQ(read(thread), Reading::torn);
}

TEST_F(SampledPlace, WhatIsNoCodeObjectIsTorn) {
  const Address code = process.code(kUser, "main", 5);
  const Address thread = process.thread(process.frame(code, 0));
  process.set(code + process.layout().object_type, Address{0x4242});
  EXPECT_EQ(read(thread), Reading::torn);
}

TEST_F(SampledPlace, AnInstructionOutsideItsCodeIsTorn) {
  const Address code = process.code(kUser, "main", 5);
  const Address thread = process.thread(process.frame(code, 0, 8));
  EXPECT_EQ(read(thread), Reading::torn);
}

TEST_F(SampledPlace, AChainThatChangesMeanwhileIsTorn) {
  const Address outer = process.code(kUser, "main", 5), inner = process.code(kUser, "f", 6);
  const Address frame = process.frame(outer, 0), called = process.frame(inner, frame);
  const Address thread = process.thread(called);
  bool is_in = true;
  process.before_read = [&] {
    is_in = !is_in;
    process.set_innermost(thread, is_in ? called : frame);
  };
  for (int i = 0; i < 20; ++i) {
    if (read(thread) != Reading::place) continue;
    EXPECT_TRUE(site().ends_with("main") || site().ends_with("f")) << site();
  }
  int calls = 0;
  process.before_read = [&] { process.set_innermost(thread, ++calls % 3 == 0 ? frame : called); };
  (void)read(thread);
  process.before_read = nullptr;
  process.set_innermost(thread, called);
  ASSERT_EQ(read(thread), Reading::place);
  EXPECT_EQ(site(), "/home/me/train.py:6 f");
}

TEST_F(SampledPlace, ACallerThatMovesWhileItIsReadIsTorn) {
  const Address outer = process.code(kUser, "main", 5);
  const Address inner = process.code(kQueue, "get", 6);
  const Address frame = process.frame(outer, 0), called = process.frame(inner, frame);
  const Address thread = process.thread(called);
  int unit = 0;
  process.before_read = [&] {
    unit = (unit + 1) % 7;
    process.set(frame + process.layout().frame_instruction, process.instruction(outer, unit));
  };
  EXPECT_EQ(read(thread), Reading::torn);
}

// A generator has a caller while it runs alone: without one, it has just yielded.
TEST_F(SampledPlace, AGeneratorThatYieldsWhileItIsReadIsTorn) {
  const Address outer = process.frame(process.code(kUser, "main", 5), 0);
  const Address generator = process.frame(process.code(kQueue, "parameters", 6), outer);
  process.set(generator + process.layout().frame_owner, python::kGeneratorOwner);
  const Address thread = process.thread(generator);
  ASSERT_EQ(read(thread), Reading::place);
  EXPECT_EQ(site(), "/home/me/train.py:5 main");
  process.set(generator + process.layout().frame_previous, Address{0});
  EXPECT_EQ(read(thread), Reading::torn);
}

// A library that calls one function after another: the user's line stands still meanwhile.
TEST_F(SampledPlace, WhatTheUsersLineCallsMayChangeWhileItIsRead) {
  const Address outer = process.code(kUser, "main", 5);
  const Address get = process.code(kQueue, "get", 6), put = process.code(kQueue, "put", 7);
  const Address frame = process.frame(outer, 0), called = process.frame(get, frame);
  const Address thread = process.thread(called);
  bool is_get = true;
  process.before_read = [&] {
    is_get = !is_get;
    process.set(called + process.layout().frame_code, is_get ? get : put);
  };
  EXPECT_EQ(read(thread), Reading::place);
  EXPECT_NE(place.site, 0U);
}

TEST_F(SampledPlace, TheInnermostInstructionMayMove) {
  const Address code = process.code(kUser, "main", 5);
  const Address frame = process.frame(code, 0);
  const Address thread = process.thread(frame);
  int unit = 0;
  process.before_read = [&] {
    unit = (unit + 1) % 7;
    process.set(frame + process.layout().frame_instruction, process.instruction(code, unit));
  };
  EXPECT_EQ(read(thread), Reading::place);
}

TEST_F(SampledPlace, ACodeObjectAtAnOldAddressIsReadAnew) {
  const Address code = process.code(kUser, "main", 5);
  const Address thread = process.thread(process.frame(code, 0));
  ASSERT_EQ(read(thread), Reading::place);
  process.set(code + process.layout().code_first_line, 77);
  process.set(code + process.layout().code_name, process.text("other"));
  ASSERT_EQ(read(thread), Reading::place);
  EXPECT_EQ(site(), "/home/me/train.py:77 other");
}

TEST_F(SampledPlace, AChainWithoutEndEnds) {
  const Address code = process.code(kQueue, "get", 5);
  const Address frame = process.frame(code, 0);
  process.set(frame + process.layout().frame_previous, frame);
  EXPECT_EQ(read(process.thread(frame)), Reading::place);
}

TEST_F(SampledPlace, WhatIsKnownCostsFewReads) {
  const Address thread = process.thread(chain({{kUser, "main"}, {kQueue, "Queue.get"}}));
  ASSERT_EQ(read(thread), Reading::place);
  process.reads = 0;
  ASSERT_EQ(read(thread), Reading::place);
  EXPECT_LE(process.reads, 4) << "holder, innermost frame, a page of frames, and all again";
}

TEST(FindCollecting, LiesBetweenTheGenerationsAndTwoLists) {
  FakeProcess process;
  const Address interpreter = process.room(32 * FakeProcess::kPage);
  const Address generations = interpreter + 5000;
  const auto lists = [&](Address type) {
    for (const Address place : {generations + 184, generations + 192}) {
      const Address list = process.room(32);
      process.set(list + process.layout().object_type, type);
      process.set(place, list);
    }
  };
  const auto find = [&] { return find_collecting(process, process.python(), interpreter); };
  EXPECT_EQ(find(), 0U);
  process.set(generations + 72, generations);
  EXPECT_EQ(find(), 0U) << "no lists behind it";
  lists(FakeProcess::kTextType);
  EXPECT_EQ(find(), 0U) << "they are no lists";
  lists(FakeProcess::kListType);
  EXPECT_EQ(find(), generations + 176);
  process.set(generations + 176, 2);
  EXPECT_EQ(find(), 0U) << "no flag";
}

TEST(RoleOf, IsByThePathInsideTorch) {
  EXPECT_EQ(role_of(kWorker), Role::worker_loop);
  EXPECT_EQ(role_of(kFetch), Role::fetch);
  EXPECT_EQ(role_of(kLoader), Role::loader);
  EXPECT_EQ(role_of("/home/me/torch/nn/modules/linear.py"), Role::plain);
}

TEST(SampleQueue, KeepsOrderAndCountsWhatFindsNoRoom) {
  auto queue = std::make_unique<SampleQueue>();
  for (std::uint32_t i = 0; i < SampleQueue::kSlots + 3; ++i)
    queue->put({.time = static_cast<std::int64_t>(i)});
  EXPECT_EQ(queue->dropped(), 3U);
  Sample sample;
  for (std::uint32_t i = 0; i < SampleQueue::kSlots; ++i) {
    ASSERT_TRUE(queue->take(sample));
    EXPECT_EQ(sample.time, i);
  }
  EXPECT_FALSE(queue->take(sample));
}

}  // namespace
}  // namespace stepscope::host_sampler
