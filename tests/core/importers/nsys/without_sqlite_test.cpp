// SPDX-License-Identifier: Apache-2.0
// A build without SQLite knows an export when it sees one, and says what it lacks.
#include <gmock/gmock.h>

#include "core/importers/load.hpp"
#include "tests/core/store/scratch.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;

TEST(NsysWithoutSqlite, AnExportIsKnownAndTheOptionNamed) {
  const Scratch scratch;
  const std::string text = std::string("SQLite format 3") + '\0' + std::string(100, 'x');
  write_file(scratch / "run.bin", {text.begin(), text.end()});
  const Result<Trace> trace = load(scratch / "run.bin");
  ASSERT_FALSE(trace.ok());
  EXPECT_EQ(trace.error().code, ErrorCode::unsupported);
  EXPECT_THAT(trace.error().message, HasSubstr("run.bin"));
  EXPECT_THAT(trace.error().message, HasSubstr("STEPSCOPE_WITH_SQLITE=ON"));
}

TEST(NsysWithoutSqlite, AReportOfNsysSaysHowToExportIt) {
  const Scratch scratch;
  write_file(scratch / "run.nsys-rep", {'x'});
  const Result<Trace> trace = load(scratch / "run.nsys-rep");
  ASSERT_FALSE(trace.ok());
  EXPECT_THAT(trace.error().message, HasSubstr("nsys export --type sqlite"));
}

}  // namespace
}  // namespace stepscope
