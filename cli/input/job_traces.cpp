// SPDX-License-Identifier: Apache-2.0
#include "cli/input/job_traces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>

#include "cli/input/load_summary.hpp"
#include "cli/output/build_commit.hpp"
#include "core/importers/load.hpp"
#include "core/store/reader/reader.hpp"
#include "core/summary/job/rank_summary.hpp"
#include "core/support/memory_limit.hpp"
#include "core/support/side_by_side.hpp"
#include "core/symbols/native_lines.hpp"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

// A rank of a folder of ours, or another tool's file.
struct Part {
  std::string path;
  std::int32_t rank = -1;
  std::vector<fs::path> files;  // those of the rank; none: `path` is a file of its own
  std::int32_t world_size = -1;
};

fs::path summary_path(const Part& part) {
  return fs::path(part.path) / fmt::format("rank{}{}", part.rank, kRankSummary);
}

// All that the rank is read from.
Result<job::SummaryOrigin> origin_of(const Part& part) {
  job::SummaryOrigin out{fmt::format("{} ({})", STEPSCOPE_VERSION, build_commit()), {}};
  std::vector<fs::path> files = part.files;
  for (const char* beside : {"run.json", kNativeLinesFile}) {
    std::error_code error;
    if (fs::exists(fs::path(part.path) / beside, error))
      files.push_back(fs::path(part.path) / beside);
  }
  for (const fs::path& file : files) {
    auto mark = store::mark_of_file(file);
    if (!mark) return mark.error();
    out.files.push_back(std::move(*mark));
  }
  return out;
}

Result<Trace> load_part(const Part& part) {
  return part.files.empty() ? load(part.path) : load_files(part.path, part.files);
}

class Parts final : public JobTraces {
 public:
  explicit Parts(const std::vector<std::string>& paths) : paths_(paths) {}
  void add(Part part) { parts_.push_back(std::move(part)); }
  void add_problem(const std::string& problem) { problems_.push_back(problem); }
  const std::vector<Part>& list() const { return parts_; }

  std::size_t size() const override { return parts_.size(); }
  std::string name(std::size_t part) const override { return parts_[part].path; }
  std::vector<std::string> paths() const override { return paths_; }
  std::uint64_t bytes_to_read(std::size_t part) const override {
    if (parts_[part].files.empty()) return stepscope::bytes_to_read(parts_[part].path);
    std::uint64_t sum = 0;
    for (const fs::path& file : parts_[part].files) sum += stepscope::bytes_to_read(file.string());
    return sum;
  }
  std::vector<std::string> problems() const override { return problems_; }
  Status use(std::size_t part, const std::function<void(const Trace&)>& user) const override {
    const Result<Trace> trace = load_part(parts_[part]);
    if (!trace) return in_file(parts_[part].path, trace.error());
    user(*trace);
    return Done{};
  }
  Result<std::optional<job::JobPart>> summary(std::size_t part) const override {
    std::optional<job::JobPart> none;
    if (parts_[part].files.empty()) return none;
    const fs::path path = summary_path(parts_[part]);
    std::ifstream file(path, std::ios::binary);
    if (!file) return none;
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    const auto origin = origin_of(parts_[part]);
    if (!origin) return none;  // reading the events says what is wrong
    auto read = job::read_rank_summary(bytes, *origin);
    if (!read) return in_file(path.string(), read.error());
    for (job::RankPart& rank : read->ranks) rank.summary.run.path = parts_[part].path;
    return std::optional(std::move(*read));
  }

 private:
  static Error in_file(const std::string& path, Error error) {
    if (error.message.find(path) == std::string::npos) error.message = path + ": " + error.message;
    return error;
  }

  std::vector<std::string> paths_;
  std::vector<Part> parts_;
  std::vector<std::string> problems_;
};

// One part a rank. False where no file of the folder tells a rank.
bool add_ranks_of(const std::string& folder, Parts& out) {
  const auto files = ranks_of_scope(folder);
  if (!files) return false;
  std::map<std::int32_t, Part> of_rank;
  for (const FileOfRank& file : *files) {
    if (file.rank < 0) continue;
    Part& part = of_rank.try_emplace(file.rank, Part{folder, file.rank, {}}).first->second;
    part.files.push_back(file.path);
    part.world_size = std::max(part.world_size, file.world_size);
  }
  for (auto& [rank, part] : of_rank) out.add(std::move(part));
  if (of_rank.empty()) return false;
  for (const FileOfRank& file : *files)
    if (!file.problem.empty()) out.add_problem(file.problem);
  return true;
}

std::unique_ptr<Parts> parts_of(const std::vector<std::string>& paths) {
  auto out = std::make_unique<Parts>(paths);
  for (const std::string& path : paths)
    if (!sniff_scope(path) || !add_ranks_of(path, *out)) out->add({path, -1, {}});
  return out;
}

Status write_whole(const fs::path& path, const std::string& bytes) {
  const fs::path partial = path.string() + ".new";
  std::ofstream file(partial, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  std::error_code error;
  if (file) fs::rename(partial, path, error);
  if (file && !error) return Done{};
  fs::remove(partial, error);
  return io_error("cannot write " + path.string());
}

Status summarize_part(const Part& part) {
  const auto origin = origin_of(part);
  if (!origin) return origin.error();
  const Result<Trace> trace = load_part(part);
  if (!trace) return trace.error();
  job::JobPart read = job::read_part(*trace, {});
  if (read.ranks.size() != 1 || !read.ranks.front().record) return Done{};
  read.ranks.front().summary.run.path.clear();
  // The notes on a damaged recording name its path, which changes where it is moved.
  if (job::names(read, part.path)) return Done{};
  if (Status sound = job::check_part(read); !sound) return sound;
  return write_whole(summary_path(part), job::rank_summary_bytes(read, *origin));
}

}  // namespace

std::unique_ptr<JobTraces> traces_of_job(const std::vector<std::string>& paths) {
  return parts_of(paths);
}

Status summarize_ranks(const std::string& folder) {
  std::error_code error;
  const auto parts = parts_of({fs::absolute(folder, error).string()});
  std::vector<std::size_t> ranks;
  for (std::size_t i = 0; i < parts->size(); ++i) {
    if (parts->list()[i].files.empty() || parts->list()[i].world_size < 2) continue;
    if (parts->bytes_to_read(i) > memory_left_bytes() / 2)
      return io_error(fmt::format("rank {} would take more than half of the memory that is left",
                                  parts->list()[i].rank));
    ranks.push_back(i);
  }
  std::vector<Status> done(ranks.size(), Done{});
  for_each_side_by_side(ranks.size(), parts_at_once(*parts, ranks),
                        [&](std::size_t i) { done[i] = summarize_part(parts->list()[ranks[i]]); });
  const auto failed = std::find_if(done.begin(), done.end(), [](const Status& s) { return !s; });
  return failed == done.end() ? Status(Done{}) : *failed;
}

}  // namespace stepscope
