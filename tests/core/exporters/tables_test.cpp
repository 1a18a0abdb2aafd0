// SPDX-License-Identifier: Apache-2.0
#include "core/exporters/tables.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/core/exporters/exported_run.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;

TEST(Tables, EveryRowHasEveryColumn) {
  const ExportedRun run;
  for (const exporting::Table& table : exporting::all_tables()) {
    table.each(run.run(), [&table](const exporting::Values& row) {
      ASSERT_EQ(row.size(), table.columns.size()) << table.name;
    });
  }
}

TEST(Csv, CellsSumToTheStepsWallTime) {
  const ExportedRun run;
  const std::string text = run.written_by(write_csv);
  EXPECT_TRUE(text.starts_with("device,step,cause,phase,file,line,direction,ns\n"));
  std::int64_t sum = 0;
  for (std::size_t at = text.find('\n') + 1; at < text.size(); at = text.find('\n', at) + 1) {
    const std::string line = text.substr(at, text.find('\n', at) - at);
    if (line.starts_with(",")) sum += std::stoll(line.substr(line.rfind(',') + 1));
  }
  std::int64_t wall = 0;
  for (const Step& step : run.steps.list) wall += step.wall_ns();
  EXPECT_EQ(sum, wall);
}

TEST(Csv, OneLineARowAndAnUnknownTableIsNamed) {
  const ExportedRun run;
  const std::string ops = run.written_by(write_csv, {.table = "device_ops"});
  EXPECT_EQ(static_cast<std::size_t>(std::count(ops.begin(), ops.end(), '\n')),
            run.trace.device_ops().size() + 1);
  const Status unknown = write_csv(run.run(), {.table = "opps"}, run.path, {});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, ErrorCode::usage);
  EXPECT_THAT(unknown.error().message, HasSubstr("device_ops"));
}

TEST(Csv, APlaceThatCannotBeWrittenIsAnError) {
  const ExportedRun run;
  const Status status = write_csv(run.run(), {}, "/nowhere/out.csv", {});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::io);
  EXPECT_THAT(status.error().message, HasSubstr("/nowhere/out.csv"));
}

}  // namespace
}  // namespace stepscope
