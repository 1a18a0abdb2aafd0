// SPDX-License-Identifier: Apache-2.0
#include "core/symbols/native_lines.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include "tests/core/model/trace_maker.hpp"

namespace stepscope {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

// One op a site; the last one without a site.
TraceData with_sites(const std::vector<std::string>& functions) {
  TraceMaker make;
  std::int64_t now = 1'000;
  for (const std::string& function : functions) {
    make.range(HostKind::op, "aten::mm", 1, now, now + 10);
    make.data.host_ranges.site.back() = static_cast<SiteId>(make.data.sites.size());
    make.data.sites.push_back(
        {make.data.strings.intern("/a/train"), 0, make.data.strings.intern(function)});
    now += 100;
  }
  make.range(HostKind::op, "aten::mm", 1, now, now + 10);
  return std::move(make.data);
}

std::string shown(const TraceData& data, SiteId site) {
  const Site& s = data.sites[site];
  return std::string(data.strings.view(s.file)) + ":" + std::to_string(s.line) + " " +
         std::string(data.strings.view(s.function));
}

const NativeLines kLines = {
    {{"/a/train", 1},
     {{"at::Tensor::to(int) const", "/x/torch/include/ATen/core/TensorBody.h", 4285}}},
    {{"/a/train", 2}, {{"clt::Model<float>::forward(at::Tensor)", "/a/model.cpp", 71}}},
    {{"/a/train", 3}, {{"main", "", 0}}}};

TEST(NativeLines, TheInnermostFrameOfTheUsersOwnIsTheLine) {
  TraceData data = with_sites({"native:/a/train+0x1;/a/train+0x2"});
  apply_native_lines(data, kLines);
  EXPECT_EQ(shown(data, data.host_ranges.site[0]), "/a/model.cpp:71 clt::Model::forward");
}

TEST(NativeLines, UnnamedNamespacesAreLeftOut) {
  TraceData data = with_sites({"native:/a/train+0x4"});
  apply_native_lines(data, {{{"/a/train", 4},
                             {{"app::(anonymous namespace)::adam((anonymous namespace)::S&, int)",
                               "/a/adam.cpp", 26}}}});
  EXPECT_EQ(shown(data, data.host_ranges.site[0]), "/a/adam.cpp:26 app::adam");
}

TEST(NativeLines, WithoutOneTheInnermostLineStandsIn) {
  TraceData data = with_sites({"native:/a/train+0x1;/a/train+0x3"});
  apply_native_lines(data, kLines);
  EXPECT_EQ(shown(data, data.host_ranges.site[0]),
            "/x/torch/include/ATen/core/TensorBody.h:4285 at::Tensor::to");
}

TEST(NativeLines, APlaceWithoutALineIsNoSiteAndANoteNamesTheFile) {
  TraceData data = with_sites({"native:/a/train+0x3", "native:/a/train+0x99", "forward"});
  apply_native_lines(data, kLines);
  EXPECT_THAT(data.host_ranges.site, ElementsAre(kNone, kNone, 2, kNone));
  EXPECT_THAT(data.health.notes, ElementsAre(AllOf(HasSubstr("/a/train"), HasSubstr("-g"))));
}

TEST(NativeLines, SitesOfPythonStayAsTheyAre) {
  TraceData data = with_sites({"forward"});
  const std::vector<Site> before = data.sites;
  add_native_lines(data);
  EXPECT_EQ(data.sites, before);
  EXPECT_TRUE(data.health.notes.empty());
}

TEST(NativeLines, AFileKeepsThem) {
  const std::filesystem::path path = testing::TempDir() + "native_lines.json";
  ASSERT_TRUE(write_native_lines(path, kLines).ok());
  const Result<NativeLines> read = read_native_lines(path);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, kLines);
}

TEST(NativeLines, ADamagedFileIsNamed) {
  const std::filesystem::path path = testing::TempDir() + "damaged_lines.json";
  for (const char* text : {"", "{", "[]", R"({"schema": "another/1", "places": []})",
                           R"({"schema": "stepscope.native_lines/1", "places": [{"file": 3}]})"}) {
    std::ofstream(path) << text;
    const Result<NativeLines> read = read_native_lines(path);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_THAT(read.error().message, HasSubstr("damaged_lines.json")) << text;
  }
}

TEST(NativeLines, AProgramThatIsGoneLeavesANote) {
  TraceData data = with_sites({"native:/does/not/exist+0x1"});
  add_native_lines(data);
  EXPECT_THAT(data.health.notes, Contains(HasSubstr("no source lines of compiled code")));
  EXPECT_EQ(data.host_ranges.site[0], kNone);
}

TEST(NativeLines, AStrippedProgramHasNone) {
  TraceData data = with_sites({std::string("native:") + SYMBOLS_WITHOUT_DEBUG + "+0x1150"});
  const Result<NativeLines> lines = find_native_lines(data);
  ASSERT_TRUE(lines.ok()) << lines.error().message;
  apply_native_lines(data, *lines);
  EXPECT_EQ(data.host_ranges.site[0], kNone);
}

}  // namespace
}  // namespace stepscope
