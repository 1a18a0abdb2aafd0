// SPDX-License-Identifier: Apache-2.0
// Runs the built binary as a user would: arguments in, exit code and both streams out.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace stepscope {

inline std::string read_file(const std::filesystem::path& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

inline void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// A folder of its own for each test, gone at its end.
class Folder {
 public:
  Folder() {
    std::string name = testing::TempDir() + "stepscope_cli_XXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string at(const std::string& name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct RunOutcome {
  int status = -1;
  std::string out;
  std::string err;
};

// `arguments` as typed in a shell; `environment` like "NO_COLOR=1 LC_ALL=C".
inline RunOutcome run_stepscope(const std::string& arguments,
                                const std::string& environment = "LC_ALL=C.UTF-8") {
  const Folder folder;
  const std::string command = environment + " " STEPSCOPE_BINARY_DIR "/cli/stepscope " + arguments +
                              " >" + folder.at("out") + " 2>" + folder.at("err");
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          read_file(folder.at("out")), read_file(folder.at("err"))};
}

}  // namespace stepscope
