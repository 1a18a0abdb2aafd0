// SPDX-License-Identifier: Apache-2.0
// A ladder in each format: what a reader must see, and that it is valid whatever the names are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "reports/html/html_pages.hpp"
#include "reports/json/json_documents.hpp"
#include "reports/svg/charts.hpp"
#include "reports/text/text_pages.hpp"
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
  EXPECT_THAT(text, HasSubstr("the fastest is R2 with 303"));
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

RungOrders sample_orders(const std::string& name = "fused_norm") {
  std::vector<RungRuns> subsets = {
      samples::runs_of("R6", "bf16_weights", {100, 101}), samples::runs_of("R6+a", "a", {200, 202}),
      samples::runs_of("R6+b", "b", {150, 149}), samples::runs_of("R6+a+b", "a+b", {400, 404})};
  for (RungRuns& subset : subsets) subset.rung.name = name;
  return make_orders(name, {"R6", name, name}, {{"R6b", name, name}, {"R6c", "fused_rope", ""}},
                     subsets);
}

LadderSweep sample_sweep(const std::string& name = "cuda_graph") {
  auto failed = samples::runs_of("R7", "cuda_graph", {});
  failed.failure = name;
  RungRuns slow = samples::runs_of("R6e", "fused_loss", {100, 101});
  slow.rung.name = name;
  return make_sweep(
      name, {{1, {slow, samples::runs_of("R7", "cuda_graph", {200, 202})}}, {8, {slow, failed}}});
}

const std::string kHostile = "a&b<script>\"'\x01\xff]]>";
const Style kPlainText{.colour = false, .unicode = false};

TEST(LadderOrders, TextSaysSharesAndEverySubset) {
  const std::string text = text_orders(sample_orders(), kPlainText);
  EXPECT_THAT(text, HasSubstr("ORDERS  R6 100 tokens/s to 2 rungs more 402: 4.000x"));
  EXPECT_THAT(text, HasSubstr("R6b fused_norm  2.3"));
  EXPECT_THAT(text, HasSubstr("2.000x to 2.6"));
  EXPECT_THAT(text, HasSubstr("= all of them   4.000x"));
  EXPECT_THAT(text, HasSubstr("R6+a+b"));
  EXPECT_THAT(text, HasSubstr("shares multiply to the whole gain"));
}

TEST(LadderSweep, TextHasARowAMicroBatch) {
  const std::string text = text_sweep(sample_sweep(), kPlainText);
  EXPECT_THAT(text, HasSubstr("SWEEP  R7 over R6e: 2.000x at micro-batch 1"));
  EXPECT_THAT(text, HasSubstr("failed"));
  EXPECT_THAT(text, HasSubstr("micro-batch 8: R7: cuda_graph"));
}

TEST(LadderStudies, JsonIsValidAndPicturesAreXml) {
  std::string documents = STEPSCOPE_SOURCE_DIR "/reports/schema", pictures;
  const auto add = [](std::string& to, const std::string& text) {
    static int count = 0;
    to += " " + write_named("study_" + std::to_string(++count), text);
  };
  for (const std::string& name : {std::string("plain"), kHostile}) {
    add(documents, json_orders(sample_orders(name)));
    add(documents, json_sweep(sample_sweep(name)));
    add(pictures, svg_orders(sample_orders(name)));
    add(pictures, svg_sweep(sample_sweep(name)));
    EXPECT_THAT(html_orders(sample_orders(name)), Not(HasSubstr("b<script>")));
    EXPECT_THAT(html_sweep(sample_sweep(name)), Not(HasSubstr("b<script>")));
  }
  add(documents, json_sweep(make_sweep("llm", {})));
  add(documents, json_orders(make_orders("llm", {}, {}, {})));
  EXPECT_TRUE(python_accepts("validate_gate.py", documents));
  const std::string parse =
      STEPSCOPE_PYTHON " -c 'import sys, xml.dom.minidom as m; [m.parse(f) for f in sys.argv[1:]]'";
  EXPECT_EQ(std::system((parse + pictures).c_str()), 0);
}

}  // namespace
}  // namespace stepscope
