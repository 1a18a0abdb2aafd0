// SPDX-License-Identifier: Apache-2.0
// Bad input: one line on stderr that names the file or argument and says what to do, the documented
// exit code, and nothing on stdout.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/store/format.hpp"
#include "tests/cli/run_stepscope.hpp"

namespace stepscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kGood = STEPSCOPE_SOURCE_DIR "/tests/data/kineto/sync_mask_norms.fixed.json.gz";

void expect_failure(const RunOutcome& outcome, int status, const std::string& subject,
                    const std::string& what) {
  EXPECT_EQ(outcome.status, status) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, AllOf(StartsWith("stepscope"), HasSubstr(subject), HasSubstr(what)));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_EQ(outcome.err.find(subject), outcome.err.rfind(subject))
      << "named twice: " << outcome.err;
}

// A store file's header with a version of its own, its checksum right.
std::string header_of_version(std::uint16_t major) {
  std::string header(store::kFileHeaderBytes, '\0');
  std::copy(store::kFileMagic.begin(), store::kFileMagic.end(), header.begin());
  header[8] = static_cast<char>(major);
  header[12] = static_cast<char>(store::kFileHeaderBytes);
  const std::uint32_t crc =
      store::crc32c(reinterpret_cast<const std::uint8_t*>(header.data()), header.size() - 4);
  for (std::size_t i = 0; i < 4; ++i)
    header[header.size() - 4 + i] = static_cast<char>(crc >> (8 * i));
  return header;
}

struct BadFile {
  const char* name;
  std::string bytes;
  const char* what;
};

TEST(BadInput, FilesThatCannotBeRead) {
  const BadFile cases[] = {
      {"empty.json", "", "empty"},
      {"text.json", "not json at all", "not a trace of PyTorch's profiler"},
      {"other.json", R"({"hello": 1})", "traceEvents"},
      {"cut.json", R"({"traceEvents": [{"ph": "X", "cat": "cpu_op", "na)", "byte"},
      {"no_events.json", R"({"traceEvents": []})", "no event of the program"},
      {"garbage.sst", "garbage that is no store", "no stepscope store file"},
      {"empty.sst", "", "empty"},
      {"cut.sst", std::string("\x89SST\r\n\x1a\n", 8), "too short"},
      {"newer.sst", header_of_version(9), "store format 9"},
      {"noise.json.gz", "\x1f\x8b\x08 and then noise", ""},
  };
  const Folder folder;
  for (const BadFile& bad : cases) {
    SCOPED_TRACE(bad.name);
    const std::string path = folder.at(bad.name);
    write_file(path, bad.bytes);
    expect_failure(run_stepscope("report " + path), 4, path, bad.what);
  }
}

TEST(BadInput, PathsThatLeadNowhere) {
  const Folder folder;
  expect_failure(run_stepscope("report /nowhere/run.scope"), 4, "/nowhere/run.scope",
                 "no such file");
  expect_failure(run_stepscope("report " + folder.path().string()), 4, folder.path().string(), "");
}

TEST(BadInput, ArgumentsThatMakeNoSense) {
  const auto usage = [](const std::string& arguments, const std::string& subject,
                        const std::string& what) {
    SCOPED_TRACE(arguments);
    expect_failure(run_stepscope(arguments), 2, subject, what);
  };
  usage("report", "TRACE", "--help");
  usage("report x --format xml", "--format", "text, json, html, markdown, sarif, github");
  usage("report x --plain-step 38", "--plain-step", "38.2ms");
  usage("report x --step-marker '('", "--step-marker", "regular expression");
  usage("report " + kGood + " --rank 7", "no process of rank 7", "leave the option out");
  usage("report x --phase '[a'", "--phase", "regular expression");
  usage("report x --wrong", "--wrong", "--help");
  usage("report " + kGood + " --step-marker 'matches nothing at all'", "matches nothing at all",
        "");
  usage("reprot x", "'reprot'", "did you mean 'report'?");
  usage("record -- ls", "'record'", "did you mean 'profile'?");
  usage("stats x", "'stats'", "did you mean 'report'?");
  usage("xyzzy", "'xyzzy'", "--help");
  usage("train", "MODEL", "--help");
  usage("train clx", "'clx'", "did you mean 'clt'?");
}

TEST(BadInput, OutputThatCannotBeWritten) {
  const Folder folder;
  expect_failure(run_stepscope("report " + kGood + " -o /nowhere/report.txt"), 4,
                 "/nowhere/report.txt", "choose another place");
  expect_failure(run_stepscope("report " + kGood + " -o " + folder.path().string()), 4,
                 folder.path().string(), "cannot be written");
  expect_failure(run_stepscope("report " + kGood + " -o /dev/full"), 4, "/dev/full",
                 "No space left");
}

TEST(BadInput, AFailedReportLeavesTheOldFileAndNothingElse) {
  const Folder folder;
  write_file(folder.at("old.txt"), "old");
  write_file(folder.at("bad.json"), "bad");
  EXPECT_EQ(run_stepscope("report " + folder.at("bad.json") + " -o " + folder.at("old.txt")).status,
            4);
  EXPECT_EQ(read_file(folder.at("old.txt")), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);
}

TEST(BadInput, AFullStdoutIsAnError) {
  const int status = std::system(("LC_ALL=C " STEPSCOPE_BINARY_DIR "/cli/stepscope report " +
                                  kGood + " >/dev/full 2>/dev/null")
                                     .c_str());
  EXPECT_EQ(WEXITSTATUS(status), 4);
}

TEST(BadInput, MistypedOptionsAndValuesAreSuggested) {
  struct Case {
    const char* arguments;
    const char* says;
  };
  const Case cases[] = {
      {"report --fromat json x.scope", "'--fromat' is no option (did you mean '--format'?)"},
      {"diff a b --anywya", "'--anywya' is no option (did you mean '--anyway'?)"},
      {"gate history x --fromat json", "'--fromat' is no option (did you mean '--format'?)"},
      {"export x --ot perfetto", "'--ot' is no option (did you mean '--to'?)"},
      {"report --format jsn x.scope", "'jsn' is none of text, json, html"},
      {"report --format=jsn x.scope", "(did you mean 'json'?)"},
      {"completion bsh", "(did you mean 'bash'?)"},
  };
  for (const Case& c : cases) {
    const RunOutcome run = run_stepscope(c.arguments);
    EXPECT_EQ(run.status, 2) << c.arguments;
    EXPECT_THAT(run.err, testing::HasSubstr(c.says)) << c.arguments;
  }
}

}  // namespace
}  // namespace stepscope
