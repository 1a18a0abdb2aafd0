// SPDX-License-Identifier: Apache-2.0
// The export verb from the outside: every format is written whole, and nothing is left on errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/run_stepscope.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;

const std::string kExportedTrace =
    STEPSCOPE_SOURCE_DIR "/tests/data/kineto/sync_mask_norms.fixed.json.gz";

TEST(ExportVerb, WritesEveryFormatAndSaysSo) {
  const Folder folder;
  for (const char* format : {"perfetto", "csv"}) {
    const std::string file = folder.at(format);
    const RunOutcome run =
        run_stepscope("export " + kExportedTrace + " --to " + format + " -o " + file);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.out + run.err, "stepscope: wrote " + file + "\n");
    EXPECT_GT(std::filesystem::file_size(file), 10'000U) << format;
  }
}

TEST(ExportVerb, WrongArgumentsAndPlacesHaveTheirExitCodes) {
  const Folder folder;
  const std::string to = " -o " + folder.at("out");
  EXPECT_EQ(run_stepscope("export " + kExportedTrace + " --to xml" + to).status, 2);
  EXPECT_EQ(run_stepscope("export " + kExportedTrace + " --to perfetto").status, 2);
  EXPECT_EQ(run_stepscope("export " + kExportedTrace + " --to perfetto --table steps" + to).status,
            2);
  const RunOutcome table = run_stepscope("export " + kExportedTrace + " --to csv --table x" + to);
  EXPECT_EQ(table.status, 2);
  EXPECT_THAT(table.err, HasSubstr("device_ops"));
  EXPECT_EQ(run_stepscope("export " + kExportedTrace + " --to csv -o /nowhere/x").status, 4);
  EXPECT_EQ(run_stepscope("export /nowhere/x.json --to csv" + to).status, 4);
  EXPECT_FALSE(std::filesystem::exists(folder.at("out")));
}

}  // namespace
}  // namespace stepscope
