// SPDX-License-Identifier: Apache-2.0
// Golden texts: the whole screen for each kind of run. After an intended change, run the test with
// STEPSCOPE_UPDATE_GOLDEN=1 and read the difference before it is committed.
#include "reports/text/text_report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/reports/sample_summaries.hpp"

namespace stepscope {
namespace {

std::string golden_path(const std::string& name) {
  return std::string(STEPSCOPE_SOURCE_DIR) + "/tests/reports/golden/" + name + ".txt";
}

std::string read(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

void expect_golden(const std::string& name, const std::string& text) {
  if (std::getenv("STEPSCOPE_UPDATE_GOLDEN") != nullptr) std::ofstream(golden_path(name)) << text;
  EXPECT_EQ(text, read(golden_path(name))) << "see " << golden_path(name);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

struct Sample {
  const char* name;
  Summary (*make)();
};

const Sample kSamples[] = {{"gpu", samples::gpu},
                           {"cpu", samples::cpu},
                           {"inflated", samples::inflated},
                           {"one_step", samples::one_step},
                           {"whole_trace", samples::whole_trace},
                           {"two_devices", samples::two_devices},
                           {"ranks", samples::ranks},
                           {"broken", samples::broken},
                           {"empty", samples::empty}};

TEST(TextReport, ReadsAsTheGoldenTexts) {
  for (const Sample& sample : kSamples) {
    SCOPED_TRACE(sample.name);
    expect_golden(sample.name, text_report(sample.make(), {.colour = false, .unicode = true}));
  }
}

TEST(TextReport, FallsBackToAsciiEverywhere) {
  const std::string text = text_report(samples::gpu(), {.colour = false, .unicode = false});
  expect_golden("gpu_ascii", text);
  EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) { return c > 0; }));
}

TEST(TextReport, FitsOneScreen) {
  for (const Sample& sample : kSamples) {
    const auto lines = lines_of(text_report(sample.make(), {.colour = false, .unicode = true}));
    EXPECT_LE(lines.size(), 50U) << sample.name;
    for (const std::string& line : lines) EXPECT_LE(columns_of(line), 100U) << line;
  }
}

TEST(TextReport, ColourChangesNothingButColour) {
  for (const Sample& sample : kSamples) {
    const std::string plain = text_report(sample.make(), {.colour = false, .unicode = true});
    std::string coloured = text_report(sample.make(), {.colour = true, .unicode = true});
    EXPECT_NE(plain, coloured);
    for (std::size_t at = coloured.find('\x1b'); at != std::string::npos;
         at = coloured.find('\x1b')) {
      coloured.erase(at, coloured.find('m', at) + 1 - at);
    }
    EXPECT_EQ(plain, coloured) << sample.name;
  }
}

}  // namespace
}  // namespace stepscope
