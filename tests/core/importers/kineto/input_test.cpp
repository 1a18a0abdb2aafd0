// SPDX-License-Identifier: Apache-2.0
// Files as they come: compressed, in many windows, cut, damaged, hostile.
#include <gmock/gmock.h>

#include <random>

#include "tests/core/importers/kineto/kineto_maker.hpp"

namespace stepscope {
namespace {

using ::testing::HasSubstr;

// One of each kind of event, some text that a careless scanner trips over.
std::string sample() {
  return document(
      R"json(
  {"ph": "X", "cat": "cpu_op", "name": "a \"}],{[ \\", "pid": 619, "tid": 659, "ts": 4377651843188.448, "dur": 105.756,
   "args": {"External id": 513, "Sequence number": 8731, "Fwd thread id": 1, "Input Dims": [[1, 2], [], [[3]]],
   "Input type": ["float", "}\"]", ""]}},
  {"ph": "M", "name": "process_name", "pid": 619, "tid": 0, "ts": 1, "args": {"name": "python3"}},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 619, "tid": 619, "ts": 4377651843190.001,
   "dur": 5, "args": {"cbid": 211, "correlation": 77}},
  {"ph": "s", "id": 77, "pid": 619, "tid": 619, "ts": 4377651843190.001, "cat": "ac2g", "name": "ac2g"},
  {"ph": "X", "cat": "kernel", "name": "void k<4>(int)", "pid": 0, "tid": 7, "ts": 4377651843199.5, "dur": 3.648,
   "args": {"device": 0, "context": 1, "stream": 7, "correlation": 77, "grid": [768, 1, 1], "block": [128, 1, 1]}},
  {"ph": "X", "cat": "python_function", "name": "x.py(3): f", "pid": 619, "tid": 619, "ts": 4377651843100, "dur": 500},
  {"ph": "i", "name": "Record Window End", "s": "g", "pid": "", "tid": "", "ts": 4377651844000.0}
  )json",
      R"("baseTimeNanoseconds": 1790857026000000000, "deviceProperties": [{"id": 0, "name": "H200"}])");
}

void expect_sample(const TraceData& data) {
  ASSERT_EQ(data.host_ranges.size(), 3U);
  EXPECT_EQ(data.host_ranges.begin[0], 1795234677843188448);
  EXPECT_EQ(data.strings.view(data.host_ranges.name[0]), "a \"}],{[ \\");
  ASSERT_EQ(data.device_ops.size(), 1U);
  EXPECT_EQ(data.device_ops.end[0], 1795234677843203148);
  EXPECT_EQ(data.calls.correlation.at(0), 77U);
  EXPECT_EQ(data.marks.size(), 1U);
  EXPECT_EQ(data.sites.size(), 1U);
  EXPECT_EQ(data.devices.at(0).name, "H200");
  EXPECT_EQ(data.health.missing_fields, 0U);
  EXPECT_EQ(data.health.skipped_events, 0U);
}

TEST(KinetoInput, PlainAndGzipAreEqual) {
  expect_sample(read_good(sample()));
  expect_sample(read_good(gzipped(sample())));
}

TEST(KinetoInput, EveryWindowSizeGivesTheSame) {
  for (std::size_t bytes = 1; bytes < 300; ++bytes) {
    expect_sample(read_good(sample(), {.window_bytes = bytes}));
    expect_sample(read_good(gzipped(sample()), {.window_bytes = bytes}));
  }
}

TEST(KinetoInput, EndsWithAMessageWhereMemoryEnds) {
  const MemoryRoom none([] { return std::uint64_t{8} << 30U; }, [] { return std::uint64_t{1}; });
  const Result<TraceData> data = read_text(sample(), {.window_bytes = 64, .room = none});
  ASSERT_FALSE(data.ok());
  EXPECT_EQ(data.error().code, ErrorCode::unsupported);
  EXPECT_THAT(data.error().message, HasSubstr(".json: is too large for this machine"));
}

TEST(KinetoInput, SeveralGzipMembersAndPaddingAreOneDocument) {
  const std::string text = sample();
  expect_sample(read_good(gzipped(text.substr(0, 100)) + gzipped("") + gzipped(text.substr(100))));
  expect_sample(read_good(gzipped(text) + std::string(512, '\0')));
}

TEST(KinetoInput, ByteOrderMarkAndSpaceAreTolerated) {
  expect_sample(read_good("\xEF\xBB\xBF \n\t\r" + sample() + " \n\n"));
  expect_sample(read_good("\xEF\xBB\xBF" + sample(), {.window_bytes = 1}));
  expect_sample(read_good(sample() + std::string(4096, '\0')));
}

TEST(KinetoInput, EveryCutIsAnErrorWithItsOffset) {
  const std::string text = sample();
  for (std::size_t size = 1; size < text.size(); ++size) {
    const std::string message = read_error(text.substr(0, size));
    EXPECT_THAT(message, HasSubstr("byte " + std::to_string(size) + ": the file ends early"))
        << size;
  }
}

TEST(KinetoInput, EveryCutOfTheCompressedFileIsAnError) {
  const std::string text = gzipped(sample());
  for (std::size_t size = 0; size < text.size(); ++size) {
    const std::string message = read_error(text.substr(0, size));
    if (size < 2) continue;  // too short to be distinguished from text
    EXPECT_THAT(message, HasSubstr("at byte " + std::to_string(size) + " of the file")) << size;
  }
}

TEST(KinetoInput, DamagedGzipIsAnErrorWithItsOffset) {
  std::string text = gzipped(sample());
  text[text.size() / 2] = static_cast<char>(text[text.size() / 2] ^ 0x55);
  EXPECT_THAT(read_error(text), HasSubstr("of the file"));
  EXPECT_THAT(read_error(gzipped(sample()) + "trailing garbage"), HasSubstr("damaged gzip data"));
  EXPECT_THAT(read_error("\x1f\x8b garbage that is no gzip"), HasSubstr("damaged gzip data"));
}

struct Hostile {
  const char* what;
  std::string text;
  const char* message;
};

TEST(KinetoInput, HostileFilesAreErrorsWithTheirOffset) {
  const std::string deep(100'000, '[');
  const Hostile rows[] = {
      {"empty", "", "the file is empty"},
      {"space only", "  \n ", "byte 4: the file ends early"},
      {"text", "hello", "byte 0: not a trace of PyTorch's profiler"},
      {"a number", "17", "byte 0: not a trace of PyTorch's profiler"},
      {"lists in a list", "[[1, 2], [3]]", "byte 1: not a trace of PyTorch's profiler"},
      {"array of no events", "[1, 2]", "byte 1: expected '{'"},
      {"open array in a document", R"({"traceEvents": [{})", "byte 19: the file ends early"},
      {"array that ends in an event", R"([{}, {"a": 1)", "byte 12: the file ends early"},
      {"JSON lines", "{\"Type\": 59}\n{\"Type\": 79}\n", "byte 13: JSON lines"},
      {"other JSON", R"({"a": 1})", "without a \"traceEvents\" list"},
      {"events are no list", R"({"traceEvents": 3})", "without a \"traceEvents\" list"},
      {"event is no object", R"({"traceEvents": [3]})", "byte 17: expected '{'"},
      {"trailing comma", R"({"traceEvents": [{},]})", "byte 20: expected '{'"},
      {"no comma between members", R"({"a": 1 "traceEvents": []})", "byte 8: expected ',' or '}'"},
      {"unquoted key", R"({a: 1})", "byte 1: expected a key"},
      {"text behind", R"({"traceEvents": []} x)", "byte 20: text after the end"},
      {"second document", R"({"traceEvents": []}{})", "byte 19: text after the end"},
      {"garbage value", R"({"traceEvents": [{"ts": @}]})", "byte 24: expected a value"},
      {"bracket mismatch", R"({"traceEvents": [{"args": {"a": [1}}]})",
       "byte 34: mismatched bracket"},
      {"NUL inside", std::string("{\"traceEvents\": [\0]}", 20), "byte 17: expected '{'"},
      {"deep nesting in args", R"({"traceEvents": [{"args": {"a": )" + deep,
       "nesting deeper than 1024"},
      {"deep nesting outside", R"({"a": )" + deep, "nesting deeper than 1024"},
      {"deep nesting of objects", R"({"a": {"a": )" + std::string(2000, '{'),
       "nesting deeper than 1024"},
      {"unclosed string", R"({"traceEvents": [{"name": ")" + std::string(100'000, 'x'),
       "the file ends early"},
  };
  for (const Hostile& row : rows) {
    EXPECT_THAT(read_error(row.text), HasSubstr(row.message)) << row.what;
    EXPECT_THAT(read_error(row.text), HasSubstr("stepscope_kineto_"))
        << "names the file: " << row.what;
    if (row.text.empty()) continue;
    EXPECT_THAT(read_error(gzipped(row.text)), Not(HasSubstr("damaged"))) << row.what;
  }
}

TEST(KinetoInput, NumbersBeyondAllBoundsAreCountedNotFatal) {
  const TraceData data =
      read_events(R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 1e400, "tid": -1e400,
    "ts": 123456789012345678901234567890, "dur": 1e400, "args": {"correlation": 1e400, "grid": [1e400, -1, 0]}})");
  EXPECT_EQ(data.device_ops.size(), 0U);
  EXPECT_EQ(data.health.skipped_events, 1U);
  EXPECT_GE(data.health.missing_fields, 1U);
}

TEST(KinetoInput, OneEventLargerThanTheWindowGrowsItOnce) {
  const std::string big =
      R"({"ph": "X", "cat": "cpu_op", "name": "big", "pid": 1, "tid": 1, "ts": 1, "dur": 1, "args": {"x": ")" +
      std::string(3'000'000, 'y') + "\"}}";
  EXPECT_EQ(read_events(big + "," + big).host_ranges.size(), 2U);
}

TEST(KinetoInput, FilesThatCannotBeReadSayWhy) {
  const Result<TraceData> missing = read_kineto("/nonexistent/trace.json");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::io);
  EXPECT_THAT(missing.error().message,
              HasSubstr("/nonexistent/trace.json: cannot open: No such file"));
  const Result<TraceData> folder = read_kineto(std::filesystem::temp_directory_path());
  ASSERT_FALSE(folder.ok());
  EXPECT_EQ(folder.error().code, ErrorCode::io);
}

TEST(KinetoInput, SniffKnowsJsonByItsContentOrName) {
  const auto sniff = [](std::string_view content, std::string_view ending) {
    const TemporaryFile file(content, ending);
    return sniff_kineto(file.path());
  };
  EXPECT_TRUE(sniff(sample(), ".txt"));
  EXPECT_TRUE(sniff(gzipped(sample()), ".gz"));
  EXPECT_TRUE(sniff("\xEF\xBB\xBF  {", ""));
  EXPECT_TRUE(sniff("", ".json")) << "so that the reader says that it is empty";
  EXPECT_TRUE(sniff("\x1f\x8b nonsense", "")) << "so that the reader says where it is damaged";
  EXPECT_FALSE(sniff("SQLite format 3", ".sqlite"));
  EXPECT_FALSE(sniff("", ""));
  EXPECT_FALSE(sniff_kineto("/nonexistent/trace.json"));
}

TEST(KinetoInput, ProgressNeverFallsAndReachesTheEnd) {
  const TemporaryFile file(sample());
  std::uint64_t last = 0;
  std::uint64_t all = 0;
  const Progress progress = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_GE(done, last);
    last = done;
    all = total;
  };
  ASSERT_TRUE(read_kineto(file.path(), progress, {.window_bytes = 100}).ok());
  EXPECT_EQ(last, sample().size());
  EXPECT_EQ(all, sample().size());
}

TEST(KinetoInput, ASecondListOfEventsIsASecondTrace) {
  const std::string message = read_error(R"({"traceEvents": [], "a": 1, "traceEvents": []})");
  EXPECT_NE(message.find("a second list of events. Two processes wrote"), std::string::npos);
}

}  // namespace
}  // namespace stepscope
