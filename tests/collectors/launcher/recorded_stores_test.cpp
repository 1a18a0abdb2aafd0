// SPDX-License-Identifier: Apache-2.0
#include "collectors/launcher/recorded_stores.hpp"

#include <gmock/gmock.h>

#include <filesystem>

#include "core/model/losses.hpp"
#include "core/store/writer/writer.hpp"
#include "tests/core/store/scratch.hpp"

namespace stepscope::launcher {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Left {
  std::size_t ops = 0, samples = 0;
  std::string note;  // why a plan recorded nothing
};

void write_store(const std::string& path, const Left& left) {
  Result<StoreWriter> store = StoreWriter::create(path);
  ASSERT_TRUE(store.ok()) << store.error().message;
  store->describe({.pid = 1});
  EventBatch b;
  for (std::size_t i = 0; i < left.ops; ++i) {
    const auto begin = static_cast<std::int64_t>(10 * i);
    b.host_ranges.begin.push_back(begin);
    b.host_ranges.end.push_back(begin + 5);
    b.host_ranges.name.push_back(store->intern("aten::mm"));
    b.host_ranges.thread.push_back(store->thread(1));
    b.host_ranges.kind.push_back(HostKind::op);
    b.host_ranges.site.push_back(kNone);
  }
  for (std::size_t i = 0; i < left.samples; ++i) {
    b.samples.time.push_back(static_cast<std::int64_t>(10 * i));
    b.samples.thread.push_back(store->thread(1));
  }
  if (!left.note.empty()) {
    Health health;
    health.notes = {std::string(kNothingRecorded) + left.note};
    store->health(health);
  }
  ASSERT_TRUE(store->write(b).ok());
  ASSERT_TRUE(store->close(ExitReason::returned, 0).ok());
}

TEST(RecordedStores, AProgramThatFailedAtItsStartLeavesFewSamples) {
  const Scratch scratch;
  write_store(scratch / "1.sst", {.samples = 3});
  const RecordedStores stores(scratch / "");
  EXPECT_EQ(stores.count(), 1U);
  EXPECT_EQ(stores.bytes(), std::filesystem::file_size(scratch / "1.sst"));
  EXPECT_TRUE(stores.hold_starts_only(true));
  EXPECT_FALSE(stores.hold_starts_only(false));
}

TEST(RecordedStores, OneStoreWithAnOperationIsWorthAReport) {
  const Scratch scratch;
  write_store(scratch / "1.sst", {});
  EXPECT_TRUE(RecordedStores(scratch / "").hold_starts_only(false));
  write_store(scratch / "2.sst", {.ops = 1});
  EXPECT_FALSE(RecordedStores(scratch / "").hold_starts_only(true));
}

TEST(RecordedStores, APlanWhoseTimeNeverCameIsToldWhereItHoldsForAllProcesses) {
  const Scratch scratch;
  write_store(scratch / "1.sst", {.note = "3 steps were seen"});
  write_store(scratch / "2.sst", {.note = "3 steps were seen"});
  EXPECT_THAT(RecordedStores(scratch / "").why_nothing_recorded(),
              ElementsAre("3 steps were seen"));
  write_store(scratch / "3.sst", {.ops = 1});
  EXPECT_THAT(RecordedStores(scratch / "").why_nothing_recorded(), IsEmpty());
}

}  // namespace
}  // namespace stepscope::launcher
