// SPDX-License-Identifier: Apache-2.0
#include "cli/programs/module_path.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace stepscope {
namespace {

TEST(ModulePath, AModuleBesideTheProgramIsFound) {
  const auto own = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const auto module = own / "module_path_test_of_cli.so";
  EXPECT_EQ(module_path(module.filename().string(), "no_such_folder"), "");
  std::ofstream(module) << "here";
  const std::string found = module_path(module.filename().string(), "no_such_folder");
  EXPECT_TRUE(!found.empty() && std::filesystem::equivalent(found, module)) << found;
  std::filesystem::remove(module);
}

}  // namespace
}  // namespace stepscope
