// SPDX-License-Identifier: Apache-2.0
// Real traces, checked against tests/reference/kineto_reference.py, which shares no code with us:
// parts sum to the wall exactly, device parts equal the busy union, next to nothing is unexplained,
// and the device-busy time of each phase agrees.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "core/attribution/attribution.hpp"
#include "core/importers/load.hpp"
#include "core/summary/summary.hpp"
#include "tests/support/corpus.hpp"

namespace stepscope {
namespace {

struct Analysed {
  Trace trace;
  Steps steps;
  Attribution attribution;
};

Analysed analyse(const std::filesystem::path& path) {
  auto trace = load(path);
  EXPECT_TRUE(trace.ok()) << path;
  auto steps = find_steps(*trace);
  EXPECT_TRUE(steps.ok()) << path;
  auto attribution = attribute(*trace, *steps);
  EXPECT_TRUE(attribution.ok()) << path;
  return {std::move(*trace), std::move(*steps), std::move(*attribution)};
}

nlohmann::json reference(const std::filesystem::path& path, const Steps& steps) {
  nlohmann::json windows = nlohmann::json::array();
  for (const Step& step : steps.list) windows.push_back({step.window.begin, step.window.end});
  const std::string file = testing::TempDir() + "windows" + std::to_string(::getpid()) + ".json";
  std::ofstream(file) << windows.dump();
  const std::string out =
      output_of("python3 " STEPSCOPE_SOURCE_DIR "/tests/reference/kineto_reference.py --windows " +
                file + " " + path.string());
  std::filesystem::remove(file);
  return nlohmann::json::parse(out);
}

std::size_t steps_known_for(const std::string& name) {
  if (name.starts_with("clt_batch_topk")) return 20;
  return name.starts_with("llm_ladder") || name.starts_with("polychromic_generate") ? 2 : 4;
}

class Corpus : public testing::TestWithParam<std::filesystem::path> {};
class CorpusWithPhases : public Corpus {
};  // every op of the loop lies in a phase that the user named

std::vector<std::filesystem::path> traces_with_phases() {
  auto traces = compared_traces();
  std::erase_if(traces,
                [](const auto& t) { return !t.filename().string().starts_with("clt_batch_topk"); });
  return traces;
}

TEST_P(Corpus, PartsSumExactlyAndDevicePartsAreTheBusyUnion) {
  const Analysed run = analyse(GetParam());
  EXPECT_EQ(run.steps.list.size(), steps_known_for(GetParam().filename().string()));
  const nlohmann::json expected = reference(GetParam(), run.steps);
  std::vector<std::int64_t> wall(run.steps.list.size());
  std::vector<std::int64_t> busy(run.steps.list.size());
  std::int64_t total = 0;
  std::int64_t unexplained = 0;
  for (const Cell& cell : run.attribution.process.cells) {
    wall[cell.step] += cell.ns;
    total += cell.ns;
    if (is_device_busy(cell.cause)) busy[cell.step] += cell.ns;
    if (is_unexplained(cell.cause)) unexplained += cell.ns;
  }
  for (std::size_t k = 0; k < wall.size(); ++k) {
    EXPECT_EQ(wall[k], run.steps.list[k].wall_ns()) << "step " << k;
    EXPECT_EQ(busy[k], expected["windows"][k]["busy_ns"].get<std::int64_t>()) << "step " << k;
  }
  EXPECT_LE(unexplained * 100, total) << "unknown + host.other above 1 % of the wall";
  EXPECT_THAT(run.attribution.broken_invariants, testing::IsEmpty());
  EXPECT_THAT(run.attribution.over_budget, testing::IsEmpty());
  std::printf("%s: %zu steps, unexplained %.4f %% of the wall\n", GetParam().filename().c_str(),
              wall.size(), 100.0 * static_cast<double>(unexplained) / static_cast<double>(total));
}

TEST_P(Corpus, PythonTimeHasAFrameAsEvidence) {
  const Analysed run = analyse(GetParam());
  const HostRanges& h = run.trace.host_ranges();
  for (const Segment& s : run.attribution.process.segments) {
    if (s.cause != Cause::host_python) continue;
    ASSERT_NE(s.host_evidence, kNone);
    EXPECT_EQ(h.kind[s.host_evidence], HostKind::python_function);
    EXPECT_LE(h.begin[s.host_evidence], s.time.begin);
    EXPECT_GE(h.end[s.host_evidence], s.time.end);
  }
}

// Device-busy time by outermost user phase over steps 2..20, of ops with a launch record.
TEST_P(CorpusWithPhases, DeviceBusyTimeOfEachPhaseAgrees) {
  const Analysed run = analyse(GetParam());
  const DeviceOps& d = run.trace.device_ops();
  std::map<std::string, std::vector<Interval>> ops_of_phase;
  for (DeviceOpId op = 0; op < d.size(); ++op) {
    const CallId launch = run.trace.launch_of(op);
    if (launch == kNone) continue;
    const std::int64_t called = run.trace.host_ranges().begin[run.trace.calls().range[launch]];
    if (called < run.steps.list[1].host.begin || called >= run.steps.list.back().host.end) continue;
    PhaseId phase = run.attribution.ops[op].phase;
    while (run.attribution.phases[phase].parent != 0) phase = run.attribution.phases[phase].parent;
    ops_of_phase[run.attribution.phases[phase].name].push_back({d.begin[op], d.end[op]});
  }
  const nlohmann::json expected_phases = reference(GetParam(), run.steps)["phases"]["rows"];
  int compared = 0;
  for (const auto& row : expected_phases) {
    const std::string name = row["phase"];
    if (name == "(no phase)") continue;
    const auto expected = row["busy_ns"].get<std::int64_t>();
    const std::int64_t found = total_length(unite(ops_of_phase[name]));
    EXPECT_LE(std::abs(found - expected) * 100, expected)
        << name << ": " << found << " ns, reference " << expected;
    std::printf("%s: phase %s: busy %lld ns, reference %lld ns\n", GetParam().filename().c_str(),
                name.c_str(), static_cast<long long>(found), static_cast<long long>(expected));
    ++compared;
  }
  EXPECT_GE(compared, 8);
}

std::string test_name(const testing::TestParamInfo<std::filesystem::path>& info) {
  std::string name = info.param.filename().string();
  name = name.substr(0, name.find(".json"));
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Traces, Corpus, testing::ValuesIn(compared_traces()), test_name);
INSTANTIATE_TEST_SUITE_P(Traces, CorpusWithPhases, testing::ValuesIn(traces_with_phases()),
                         test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CorpusWithPhases);  // the committed traces hold none

}  // namespace
}  // namespace stepscope
