// SPDX-License-Identifier: Apache-2.0
#include "cli/input/load_summary.hpp"

#include <filesystem>
#include <map>
#include <numeric>
#include <utility>

#include "core/importers/load.hpp"
#include "core/store/reader/reader.hpp"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

class Files final : public JobTraces {
 public:
  explicit Files(const std::vector<std::string>& paths) : paths_(paths) {}
  std::size_t size() const override { return paths_.size(); }
  std::string name(std::size_t part) const override { return paths_[part]; }
  std::uint64_t bytes_to_read(std::size_t part) const override {
    return stepscope::bytes_to_read(paths_[part]);
  }
  Status use(std::size_t part, const std::function<void(const Trace&)>& user) const override {
    const Result<Trace> trace = load(paths_[part]);
    if (!trace) return in_file(paths_[part], trace.error());
    user(*trace);
    return Done{};
  }

 private:
  static Error in_file(const std::string& path, Error error) {
    if (error.message.find(path) == std::string::npos) error.message = path + ": " + error.message;
    return error;
  }

  std::vector<std::string> paths_;
};

class Scope final : public JobTraces {
 public:
  using FilesOfRank = std::map<std::int32_t, std::vector<fs::path>>;
  Scope(std::string folder, FilesOfRank files, std::vector<std::string> problems)
      : folder_(std::move(folder)), problems_(std::move(problems)) {
    for (auto& [rank, paths] : files) parts_.push_back(std::move(paths));
  }
  std::size_t size() const override { return parts_.size(); }
  std::string name(std::size_t /*part*/) const override { return folder_; }
  std::uint64_t bytes_to_read(std::size_t part) const override {
    const auto add = [](std::uint64_t sum, const fs::path& path) {
      return sum + stepscope::bytes_to_read(path.string());
    };
    return std::accumulate(parts_[part].begin(), parts_[part].end(), std::uint64_t{0}, add);
  }
  std::vector<std::string> problems() const override { return problems_; }
  Status use(std::size_t part, const std::function<void(const Trace&)>& user) const override {
    const Result<Trace> trace = load_files(folder_, parts_[part]);
    if (!trace) return trace.error();
    user(*trace);
    return Done{};
  }

 private:
  std::string folder_;
  std::vector<std::string> problems_;
  std::vector<std::vector<fs::path>> parts_;
};

}  // namespace

std::unique_ptr<JobTraces> traces_of_files(const std::vector<std::string>& paths) {
  return std::make_unique<Files>(paths);
}

std::unique_ptr<JobTraces> traces_of_scope(const std::string& path) {
  if (!sniff_scope(path)) return nullptr;
  const auto files = ranks_of_scope(path);
  if (!files || files->size() < 2) return nullptr;
  Scope::FilesOfRank of_rank;
  std::vector<std::string> problems;
  for (const FileOfRank& file : *files) {
    if (file.rank >= 0) of_rank[file.rank].push_back(file.path);
    if (!file.problem.empty()) problems.push_back(file.problem);
  }
  if (of_rank.size() < 2) return nullptr;
  return std::make_unique<Scope>(path, std::move(of_rank), std::move(problems));
}

}  // namespace stepscope
