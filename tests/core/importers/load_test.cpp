// SPDX-License-Identifier: Apache-2.0
#include "core/importers/load.hpp"

#include <gmock/gmock.h>

#include "core/store/save.hpp"
#include "tests/core/model/trace_maker.hpp"
#include "tests/core/store/scratch.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;

void write_text(const std::string& path, const std::string& text) {
  write_file(path, {text.begin(), text.end()});
}

struct Saved {
  Scratch scratch;
  Saved() {
    TraceMaker make;
    make.range(HostKind::op, "aten::add", 1, 10, 20);
    const Status status = save(make.build(), scratch / "a.sst");
    EXPECT_TRUE(status.ok()) << status.error().message;
  }
};

TEST(Load, AStoreFileAndTheFolderAroundItGiveTheSameEvents) {
  const Saved saved;
  for (const std::string& path : {saved.scratch / "a.sst", saved.scratch / ""}) {
    const Result<Trace> trace = load(path);
    ASSERT_TRUE(trace.ok()) << trace.error().message;
    EXPECT_EQ(trace->data().source, SourceKind::stepscope);
    EXPECT_EQ(trace->data().path, path);
    EXPECT_EQ(trace->text(trace->host_ranges().name[0]), "aten::add");
  }
}

TEST(Load, AStoreFileIsKnownByItsContentToo) {
  const Saved saved;
  std::filesystem::rename(saved.scratch / "a.sst", saved.scratch / "no suffix");
  EXPECT_TRUE(load(saved.scratch / "no suffix").ok());
}

TEST(Load, AKinetoTraceGoesToItsImporter) {
  const Scratch scratch;
  write_text(scratch / "trace.json",
             R"({"schemaVersion": 1, "traceEvents": [
                 {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 5, "tid": 5, "ts": 1000.5, "dur": 2}]})");
  const Result<Trace> trace = load(scratch / "trace.json");
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_EQ(trace->data().source, SourceKind::kineto);
  EXPECT_EQ(trace->host_ranges().size(), 1U);
}

TEST(Load, AMissingRunIsSuggested) {
  const Saved saved;
  std::filesystem::create_directory(saved.scratch / "mine.scope");
  const auto message = [&](const char* name) { return load(saved.scratch / name).error().message; };
  const std::string meant = "did you mean " + (saved.scratch / "mine.scope") + "?";
  EXPECT_THAT(message("mine"), HasSubstr(meant));
  EXPECT_THAT(message("mien.scope"), HasSubstr(meant));
  EXPECT_THAT(message("a"), HasSubstr("a.sst?"));
  EXPECT_THAT(message("nt.scope"), testing::Not(HasSubstr("did you mean")));
  EXPECT_THAT(message("quite another"), testing::Not(HasSubstr("did you mean")));
}

TEST(Load, AFolderAroundRunsNamesThem) {
  const Scratch scratch;
  EXPECT_THAT(load(scratch / "").error().message, HasSubstr("is not a run, and holds none: give"));
  for (const char* name : {"b.scope", "a.scope", "src"})
    std::filesystem::create_directory(scratch / name);
  const Result<Trace> loaded = load(scratch / "");
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().code, ErrorCode::bad_input);
  EXPECT_THAT(loaded.error().message,
              HasSubstr("is not a run; it holds a.scope, b.scope: give one of them"));
  for (const char* name : {"c.scope", "d.scope", "e.scope", "f.scope", "g.json.gz"})
    std::filesystem::create_directory(scratch / name);
  EXPECT_THAT(load(scratch / "").error().message, HasSubstr("d.scope, e.scope and 2 more"));
}

TEST(Load, WhatIsMissingOrUnknownIsAClearError) {
  const Scratch scratch;
  EXPECT_EQ(load(scratch / "missing").error().code, ErrorCode::io);
  EXPECT_THAT(load(scratch / "missing").error().message, HasSubstr("no such file"));
  write_text(scratch / "notes.txt", "hello");
  EXPECT_EQ(load(scratch / "notes.txt").error().code, ErrorCode::bad_input);
  EXPECT_THAT(load(scratch / "notes.txt").error().message, HasSubstr("in no known format"));
  write_text(scratch / "empty.sst", "");
  EXPECT_THAT(load(scratch / "empty.sst").error().message, HasSubstr("is empty"));
}

TEST(Load, WhatIsPackedOrAnotherToolsSaysWhatToDo) {
  const Scratch scratch;
  const auto message = [&](const std::string& name, const std::string& content) {
    write_text(scratch / name, content);
    const Result<Trace> loaded = load(scratch / name);
    EXPECT_EQ(loaded.error().code, ErrorCode::bad_input) << name;
    return loaded.error().message;
  };
  EXPECT_THAT(message("a.json.zst", "\x28\xb5\x2f\xfd...."),
              HasSubstr("a.json.zst is compressed with zstd"));
  EXPECT_THAT(message("a.json", "PK\x03\x04...."),
              HasSubstr("a zip archive: unpack it with unzip"));
  EXPECT_THAT(message("a.tar", std::string(257, '\0') + "ustar  "), HasSubstr("a tar archive"));
  EXPECT_THAT(message("b.json", "version https://git-lfs.github.com/spec/v1\n"),
              HasSubstr("git lfs pull"));
  EXPECT_THAT(message("c.json", "<!DOCTYPE html><html>"), HasSubstr("a web page"));
  EXPECT_THAT(message("d.json", "\xff\xfe{"), HasSubstr("UTF-16"));
  EXPECT_THAT(message("e.pickle", "\x80\x04\x95"), HasSubstr("a pickle of Python"));
}

}  // namespace
}  // namespace stepscope
