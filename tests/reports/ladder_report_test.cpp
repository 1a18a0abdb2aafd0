// SPDX-License-Identifier: Apache-2.0
// A ladder in each format: what a reader must see, and that it is valid whatever the names are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "reports/html/html_ladder.hpp"
#include "reports/json/json_ladder.hpp"
#include "reports/svg/ladder_chart.hpp"
#include "reports/text/text_ladder.hpp"
#include "tests/core/ladder/sample_ladder.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;
using testing::Not;

Ladder sample_ladder() {
  return make_ladder("llm", samples::five_rungs());
}

std::string write_named(const std::string& name, const std::string& text) {
  const std::string file = testing::TempDir() + "stepscope_ladder_" + name;
  std::ofstream(file) << text;
  return file;
}

bool python_accepts(const std::string& script, const std::string& arguments) {
  const std::string command = STEPSCOPE_PYTHON " " STEPSCOPE_SOURCE_DIR "/tests/reports/" + script +
                              " " + arguments + " >/dev/null";
  return std::system(command.c_str()) == 0;
}

Ladder hostile_ladder() {
  auto rungs = samples::five_rungs();
  const std::string name = "a&b<script>\"'\x01\xff]]>";
  rungs[1].rung = {name, name, name};
  rungs[3].failure = name;
  return make_ladder(name, rungs);
}

TEST(LadderText, SaysRatesGainsEffectsAndChanges) {
  const std::string text = text_ladder(sample_ladder(), {.colour = false, .unicode = false});
  EXPECT_THAT(text, HasSubstr("LADDER  R0 101 tokens/s to R4 201: 1.990x (1.966 to 2.015)"));
  EXPECT_THAT(text, HasSubstr("llm tiny on NVIDIA H100, 3 repeats of 10 timed steps"));
  EXPECT_THAT(text, HasSubstr("R1 tf32"));
  EXPECT_THAT(text, HasSubstr("3.000x"));
  EXPECT_THAT(text, HasSubstr("null"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(columns_of(line), 100U) << line;
  EXPECT_THAT(text, HasSubstr("failed"));
  EXPECT_THAT(text, HasSubstr("gpu.gemm -4.667, host.python -0.033"));
  EXPECT_THAT(text, HasSubstr("R3: needs a GPU"));
}

TEST(LadderJson, IsValidAndSumsExactly) {
  for (const Ladder& ladder : {sample_ladder(), hostile_ladder(), make_ladder("llm", {})}) {
    const std::string file = write_named("document.json", json_ladder(ladder));
    EXPECT_TRUE(python_accepts("validate_gate.py", STEPSCOPE_SOURCE_DIR "/reports/schema " + file));
  }
  const auto json = nlohmann::json::parse(json_ladder(sample_ladder()));
  EXPECT_EQ(json["rungs"][2]["effect"], "null");
  EXPECT_EQ(json["rungs"][3]["failure"], "needs a GPU");
  EXPECT_FALSE(json["rungs"][3].contains("tokens_per_s"));
  std::int64_t sum = 0;
  for (const auto& part : json["rungs"][1]["profiled_step"]["parts"])
    sum += part["ns"].get<std::int64_t>();
  EXPECT_EQ(sum, json["rungs"][1]["profiled_step"]["wall_ns"].get<std::int64_t>());
}

TEST(LadderPicture, IsValidXmlWithARowARung) {
  for (const Ladder& ladder : {sample_ladder(), hostile_ladder(), make_ladder("llm", {})}) {
    const std::string file = write_named("chart.svg", svg_ladder(ladder));
    const std::string command =
        STEPSCOPE_PYTHON " -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' " + file;
    EXPECT_EQ(std::system(command.c_str()), 0);
  }
  const std::string svg = svg_ladder(sample_ladder());
  EXPECT_THAT(svg, HasSubstr("R3 absent"));
  EXPECT_THAT(svg, HasSubstr("did not run"));
  EXPECT_THAT(svg, HasSubstr("the device computes"));
}

TEST(LadderPage, HoldsThePictureAndEscapesNames) {
  const std::string page = html_ladder(hostile_ladder());
  EXPECT_THAT(page, HasSubstr("<svg"));
  EXPECT_THAT(page, Not(HasSubstr("b<script>")));
}

}  // namespace
}  // namespace stepscope
