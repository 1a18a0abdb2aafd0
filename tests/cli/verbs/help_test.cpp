// SPDX-License-Identifier: Apache-2.0
// The documentation of an installed stepscope, and what the command line answers to wishes that it
// cannot fulfil.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "cli/verbs/pages.hpp"
#include "tests/cli/run_stepscope.hpp"

namespace stepscope {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(HelpVerb, HasEveryPageOfTheDocumentation) {
  const std::string list = run_stepscope("help").out;
  for (const auto& entry : std::filesystem::directory_iterator(STEPSCOPE_SOURCE_DIR "/docs")) {
    if (entry.path().extension() != ".md" || entry.path().stem() == "README") continue;
    const std::string topic = entry.path().stem();
    EXPECT_THAT(list, ContainsRegex("(^|\n)" + topic + " +[A-Za-z]"));
    const RunOutcome page = run_stepscope("help " + topic);
    EXPECT_EQ(page.status, 0) << topic << page.err;
    EXPECT_THAT(page.out, StartsWith("# ")) << topic;
    EXPECT_EQ(page.out.find("]("), std::string::npos)
        << topic << ": a link that leads nowhere here";
  }
}

TEST(HelpVerb, AlsoExplainsFindingsCausesAndVerbs) {
  EXPECT_THAT(run_stepscope("help host_sync").out, StartsWith("# host_sync: "));
  EXPECT_THAT(run_stepscope("help host.off_cpu").out, StartsWith("# host.off_cpu: "));
  EXPECT_THAT(run_stepscope("help baseline").out, HasSubstr("Usage: "));
  const RunOutcome wrong = run_stepscope("help gaet");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean 'gate'?"));
}

TEST(HelpPage, LinksBecomeWhatOneCanType) {
  EXPECT_EQ(without_links("see [the gate](gate.md#policy)."),
            "see the gate (stepscope help gate).");
  EXPECT_EQ(without_links("[gate.md](gate.md) and [host_sync](../findings/host_sync.md)"),
            "'stepscope help gate' and host_sync (stepscope explain host_sync)");
  EXPECT_EQ(without_links("[how](../design/steps.md), [code](../core/x.hpp)"), "how, code");
  EXPECT_EQ(without_links("`run [options]` | [gate.md](gate.md) | ![a page](pictures/a.png)"),
            "`run [options]` | 'stepscope help gate' | Picture: a page");
  EXPECT_EQ(without_links("a[0] and [b] stay, (as) does [this\none](x)"),
            "a[0] and [b] stay, (as) does [this\none](x)");
}

// Commands that a help text names exist.
TEST(HelpVerb, EveryTopicThatAHelpTextNamesIsThere) {
  for (const char* verb : {"report", "diff", "gate", "whatif", "export", "mcp", "view"}) {
    const std::string text = run_stepscope(std::string(verb) + " --help").out;
    EXPECT_THAT(text, Not(HasSubstr("docs/"))) << verb;
    for (std::size_t at = text.find("stepscope help "); at != std::string::npos;
         at = text.find("stepscope help ", at + 1)) {
      const std::size_t begin = at + 15;
      const std::string topic = text.substr(begin, text.find_first_of("'.:;\n ", begin) - begin);
      EXPECT_NE(find_help_page(topic), nullptr) << verb << ": " << topic;
    }
  }
}

TEST(CommandLine, SaysThatItCannotAttach) {
  const RunOutcome run = run_stepscope("attach 123");
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("cannot attach to a running process"));
}

TEST(CommandLine, ASeparatorWithoutAVerbNamesTheVerb) {
  const RunOutcome run = run_stepscope("-- python train.py");
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("stepscope profile -- COMMAND"));
}

TEST(CommandLine, TheUsageOfTrainNamesTheModel) {
  EXPECT_THAT(run_stepscope("train --help").out, HasSubstr("train [OPTIONS] MODEL"));
}

const std::string kNormsTrace =
    STEPSCOPE_SOURCE_DIR "/tests/data/kineto/sync_mask_norms.bad.json.gz";

TEST(OutputName, SaysTheFormatWhereNoneIsGiven) {
  const Folder folder;
  const auto written = [&](const std::string& verb, const std::string& file) {
    const RunOutcome run = run_stepscope(verb + " -o " + folder.at(file));
    EXPECT_EQ(run.status, 0) << verb << file << run.err;
    EXPECT_THAT(run.err, HasSubstr("stepscope: wrote " + folder.at(file))) << verb;
    return read_file(folder.at(file));
  };
  const std::string report = "report " + kNormsTrace;
  EXPECT_THAT(written(report, "a.html"), HasSubstr("<html"));
  EXPECT_THAT(written(report, "a.json"), StartsWith("{"));
  EXPECT_THAT(written(report, "a.md"), AllOf(HasSubstr("| "), HasSubstr("###")));
  EXPECT_THAT(written(report, "a.sarif"), HasSubstr("2.1.0"));
  EXPECT_THAT(written(report, "a.txt"), HasSubstr("Where the step goes"));
  EXPECT_THAT(written(report + " --format json", "b.html"), StartsWith("{"));
  EXPECT_THAT(written("diff " + kNormsTrace + " " + kNormsTrace, "d.html"), HasSubstr("<html"));
  EXPECT_THAT(written("whatif " + kNormsTrace, "w.json"), StartsWith("{"));
  EXPECT_THAT(written("export " + kNormsTrace, "e.csv"), HasSubstr("cause"));
}

TEST(OutputName, OfAFormatThatTheVerbDoesNotWriteIsRefused) {
  const Folder folder;
  const RunOutcome run = run_stepscope("whatif " + kNormsTrace + " -o " + folder.at("w.html"));
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("the formats are text, json"));
  EXPECT_FALSE(std::filesystem::exists(folder.at("w.html")));
  EXPECT_EQ(run_stepscope("export " + kNormsTrace + " -o " + folder.at("e.txt")).status, 2);
}

TEST(OutputName, WithAnUnknownSuffixIsRefusedUnlessTheFormatIsGiven) {
  const Folder folder;
  const auto report_to = [&folder](const std::string& options) {
    return run_stepscope("report " + kNormsTrace + " -o " + folder.at(options));
  };
  const RunOutcome pdf = report_to("r.pdf");
  EXPECT_EQ(pdf.status, 2);
  EXPECT_THAT(pdf.err, HasSubstr("no .pdf file can be written here; the formats are text"));
  EXPECT_EQ(report_to("r.pdf --format text").status, 0);
  EXPECT_EQ(report_to("report.2026-11-28").status, 0);
}

TEST(OutputName, OfAPictureIsThatOfAPng) {
  const Folder folder;
  const RunOutcome run =
      run_stepscope("view " + kNormsTrace + " --screenshot " + folder.at("a.jpg"));
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, AllOf(HasSubstr("written as PNG"), HasSubstr("a.png")));
  EXPECT_FALSE(std::filesystem::exists(folder.at("a.jpg")));
}

TEST(BaselineName, ThatIsNoneListsThoseThatAre) {
  const Folder folder;
  const std::string kept = folder.at("kept");
  ASSERT_EQ(run_stepscope("baseline save fast " + kNormsTrace + " --dir " + kept).status, 0);
  const RunOutcome run =
      run_stepscope("gate --baseline nope --candidate " + kNormsTrace + " --baselines " + kept);
  EXPECT_EQ(run.status, 4);
  EXPECT_THAT(run.err, AllOf(HasSubstr("no baseline of that name"), HasSubstr("holds fast")));
}

TEST(GateOfOneRunASide, NamesThePolicyOfCountsAlone) {
  const Folder folder;
  const RunOutcome run =
      run_stepscope("gate --baseline " + kNormsTrace + " --candidate " +
                    STEPSCOPE_SOURCE_DIR "/tests/data/kineto/sync_mask_norms.bad.json.gz");
  EXPECT_EQ(run.status, 3) << run.err;
  ASSERT_THAT(run.out, HasSubstr("\"metrics\": ["));
  std::string joined = run.out;
  std::replace(joined.begin(), joined.end(), '\n', ' ');
  const std::size_t begin = joined.find("{\"schema\"");
  write_file(folder.at("policy.json"), joined.substr(begin, joined.find('}') + 1 - begin));
  EXPECT_EQ(run_stepscope("gate --baseline " + kNormsTrace + " --candidate " + kNormsTrace +
                          " --policy " + folder.at("policy.json"))
                .status,
            0)
      << "the policy that it names passes";
}

}  // namespace
}  // namespace stepscope
