// SPDX-License-Identifier: Apache-2.0
#include "collectors/launcher/preload_path.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

namespace stepscope::launcher {
namespace {

namespace fs = std::filesystem;

class PreloadPath : public testing::Test {
 protected:
  PreloadPath() { fs::remove_all(folder_); }
  ~PreloadPath() override { fs::remove_all(folder_); }

  Result<std::string> path_of(const std::string& library) const {
    return preload_path(library, folder_);
  }

  const std::string folder_ = testing::TempDir() + "/preload_path_test";
};

constexpr const char* kSpaced = "/my work/libstepscope_inject.so";

TEST_F(PreloadPath, ALibraryThatTheLoaderCanNameStays) {
  EXPECT_EQ(*path_of("/opt/lib/libstepscope_inject.so"), "/opt/lib/libstepscope_inject.so");
  EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(PreloadPath, OneWithASpaceAColonOrADollarIsNamedThroughALinkOfTheSameName) {
  for (const char* library : {kSpaced, "/a:b/libstepscope_inject.so", "/$LIB/lib_x.so"}) {
    const Result<std::string> path = path_of(library);
    ASSERT_TRUE(path.ok()) << path.error().message;
    EXPECT_TRUE(is_preloadable(*path)) << *path;
    EXPECT_EQ(fs::read_symlink(*path), library);
    EXPECT_EQ(fs::path(*path).filename(), fs::path(library).filename());
  }
}

TEST_F(PreloadPath, TheLinkIsTheSameInEachRunAndIsMadeAgainWhereItLeadsAstray) {
  const std::string first = *path_of(kSpaced);
  EXPECT_EQ(*path_of(kSpaced), first);
  fs::remove(first);
  fs::create_symlink("/elsewhere.so", first);
  EXPECT_EQ(*path_of(kSpaced), first);
  EXPECT_EQ(fs::read_symlink(first), kSpaced);
}

TEST_F(PreloadPath, AFolderThatOthersCanWriteToIsNotTrusted) {
  fs::create_directory(folder_);
  fs::permissions(folder_, fs::perms::all);
  const Result<std::string> path = path_of(kSpaced);
  ASSERT_FALSE(path.ok());
  EXPECT_THAT(path.error().message, testing::HasSubstr("not a folder that only you can write to"));
}

TEST_F(PreloadPath, ALinkInTheFoldersPlaceIsNotFollowed) {
  fs::create_symlink(testing::TempDir(), folder_);
  EXPECT_FALSE(path_of(kSpaced).ok());
}

TEST(LinkFolder, IsPreloadableWhateverTmpdirSays) {
  setenv("TMPDIR", "/my temporary files", 1);
  EXPECT_TRUE(is_preloadable(link_folder())) << link_folder();
  unsetenv("TMPDIR");
}

}  // namespace
}  // namespace stepscope::launcher
