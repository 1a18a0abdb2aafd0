// SPDX-License-Identifier: Apache-2.0
#include "cli/mcp/runs.hpp"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "core/findings/all_findings.hpp"
#include "core/summary/document/document.hpp"

namespace stepscope::mcp {
namespace {

namespace fs = std::filesystem;

void mix(std::uint64_t& stamp, const fs::path& file) {
  std::error_code error;
  const auto time = fs::last_write_time(file, error).time_since_epoch().count();
  const auto size = fs::file_size(file, error);
  for (const std::uint64_t part : {static_cast<std::uint64_t>(time), std::uint64_t{size}})
    stamp = (stamp ^ part) * 0x100000001b3ULL + 0x9e3779b97f4a7c15ULL;
}

// Changes with the files' sizes and times.
std::uint64_t stamp_of(const std::string& path) {
  std::uint64_t stamp = 0;
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    mix(stamp, path);
    return stamp;
  }
  std::vector<fs::path> files;
  for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error))
    files.push_back(at->path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) mix(stamp, file);
  return stamp;
}

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

Error naming(const std::string& path, const Error& error) {
  const bool named = error.message.find(path) != std::string::npos;
  return named ? error : Error{error.code, path + ": " + error.message};
}

Result<ReadOptions> read_options_of(const Arguments& arguments) {
  ReadOptions out;
  if (arguments.has("section")) {
    const Result<SectionChoice> section = parse_section(arguments.text("section"));
    if (!section) return section.error();
    out.section = *section;
  }
  out.step_marker = arguments.text("step_marker");
  out.phase = arguments.text("phase");
  if (const auto rank = arguments.whole("rank")) out.rank = static_cast<std::int32_t>(*rank);
  if (const auto pid = arguments.whole("process")) out.pid = static_cast<std::int64_t>(*pid);
  const Status checked = check_read_options(out);
  if (!checked) return checked.error();
  return out;
}

Result<std::shared_ptr<Run>> load_named(RunName name, const Progress& progress) {
  const std::string path = name.path;
  if (is_report_document(path)) {
    Result<Summary> document = read_report_document(path);
    if (!document) return naming(path, document.error());
    return std::make_shared<Run>(std::move(name), std::move(*document));
  }
  Result<LoadedRun> loaded = load_run(path, name.read, progress);
  if (!loaded) return naming(path, loaded.error());
  return std::make_shared<Run>(std::move(name), std::move(*loaded));
}

}  // namespace

Field trace_field() {
  return {.name = "trace",
          .about = "Path of the run; may be left out if the server was started with one"};
}

std::vector<Field> reading_fields() {
  return {
      {.name = "section",
       .about = "Of a run with several loops one after the other (training, then an evaluation), "
                "which one, as `report` numbers them: \"2\", or \"1.1\" for another division of "
                "the first; by default \"1\""},
      {.name = "rank",
       .type = FieldType::whole,
       .about = "Of a run of several ranks, whose steps; by default all ranks are summed up",
       .most = INT32_MAX},
      {.name = "process",
       .type = FieldType::whole,
       .about = "Of a run of several processes without ranks, whose steps: a process id, as the "
                "notes of `report` name them",
       .most = INT32_MAX},
      {.name = "step_marker",
       .about = "Regular expression of the ranges or ops that are steps, where the finder chose "
                "wrongly"},
      {.name = "phase", .about = "Regular expression of the ranges that are phases"}};
}

bool RunName::is_same(const RunName& other) const {
  const auto of = [](const RunName& run) {
    return std::tuple(run.path, name_of(run.read.section.value_or(SectionChoice{})), run.read.rank,
                      run.read.pid, run.read.step_marker, run.read.phase);
  };
  return of(*this) == of(other);
}

// Findings of a job are looked for when they are first asked for: that reads its ranks again.
void Run::read_job_once(bool find) {
  if (!loaded_ || (asked_for_job_ && (!find || !job_ || job_->findings))) return;
  asked_for_job_ = true;
  JobOptions options = name_.read.of_job();
  options.find = find;
  std::string why_not;
  job_ = read_job(loaded_->trace, options, why_not);
}

const Summary& Run::summary_of_job() {
  read_job_once(false);
  return job_ ? *job_ : summary_of_rank();
}

const Summary& Run::summary() {
  return name_.read.names_process() ? summary_of_rank() : summary_of_job();
}

const Findings& Run::findings_of_rank() {
  if (!loaded_->summary.findings)
    loaded_->summary.findings = find_all_replayed(
        loaded_->trace, loaded_->steps, loaded_->attribution, loaded_->summary, made_replay());
  return *loaded_->summary.findings;
}

const Summary& Run::summary_with_findings() {
  if (!name_.read.names_process()) read_job_once(true);
  if (loaded_ && (name_.read.names_process() || !job_)) findings_of_rank();
  return summary();
}

Result<const LoadedRun*> Run::events() const {
  if (loaded_) return &*loaded_;
  return usage_error(name_.path +
                     ": is a report's document, which holds no events; give the trace");
}

const Result<Simulator>& Run::made_replay() {
  if (!replay_)
    replay_ = simulator_of(loaded_->trace, loaded_->steps, loaded_->attribution, loaded_->summary);
  return *replay_;
}

Result<const Simulator*> Run::replay() {
  const auto run = events();
  if (!run) return run.error();
  const Result<Simulator>& replay = made_replay();
  if (!replay) return naming(name_.path, replay.error());
  return &*replay;
}

std::uint64_t Run::bytes() const {
  const Summary& s = summary_of_rank();
  std::uint64_t out = s.cells.size() * sizeof(CellRow) + s.lines.size() * sizeof(LineRow) +
                      s.step_parts.size() * sizeof(s.step_parts.front());
  if (!loaded_) return out;
  const Partition& process = loaded_->attribution.process;
  return out + loaded_->trace.memory_bytes() + process.segments.size() * sizeof(Segment) +
         process.cells.size() * sizeof(Cell) + loaded_->attribution.ops.size() * sizeof(OpOwner);
}

std::string Runs::path_of(const std::string& word) const {
  std::error_code error;
  std::string path = without_slash(word);
  if (fs::exists(path, error)) return path;
  for (const std::string& given : given_)
    if (fs::path(without_slash(given)).filename() == path) return without_slash(given);
  return path;
}

Result<std::string> Runs::path_named_by(const Arguments& arguments) const {
  if (arguments.has("trace")) return path_of(arguments.text("trace"));
  if (given_.size() == 1) return path_of(given_.front());
  return usage_error(given_.empty()
                         ? "trace: is missing: the server was started without one; tool "
                           "'traces' lists what lies in its folder"
                         : fmt::format("trace: which one of {}?", fmt::join(given_, ", ")));
}

Result<std::shared_ptr<Run>> Runs::named_by(const Arguments& arguments, const Progress& progress) {
  const auto path = path_named_by(arguments);
  if (!path) return path.error();
  return at(*path, progress);
}

Result<std::shared_ptr<Run>> Runs::at(const std::string& path, const Progress& progress) {
  const std::string found = path_of(path);
  const auto reading = reading_.find(found);
  return get({found, reading == reading_.end() ? ReadOptions{} : reading->second}, progress);
}

Result<std::shared_ptr<Run>> Runs::read_as(const Arguments& arguments, const Progress& progress) {
  const std::vector<Field> fields = reading_fields();
  if (std::none_of(fields.begin(), fields.end(),
                   [&arguments](const Field& field) { return arguments.has(field.name); }))
    return named_by(arguments, progress);
  const auto path = path_named_by(arguments);
  if (!path) return path.error();
  const auto read = read_options_of(arguments);
  if (!read) return read.error();
  auto run = get({*path, *read}, progress);
  if (run.ok()) reading_[*path] = *read;
  return run;
}

Result<std::shared_ptr<Run>> Runs::get(RunName name, const Progress& progress) {
  std::error_code error;
  if (!fs::exists(name.path, error))
    return io_error(fmt::format("{}: there is no such file or folder; relative paths begin at {}",
                                name.path, fs::current_path(error).string()));
  const std::uint64_t stamp = stamp_of(name.path);
  const auto found = std::find_if(kept_.begin(), kept_.end(), [&name](const Kept& one) {
    return one.run->name().is_same(name);
  });
  if (found != kept_.end() && found->stamp == stamp) {
    kept_.splice(kept_.begin(), kept_, found);
    return kept_.front().run;
  }
  if (found != kept_.end()) kept_.erase(found);
  auto run = load_named(std::move(name), progress);
  if (!run) return run.error();
  kept_.push_front({*run, stamp});
  let_go();
  return *run;
}

// The last used run stays, however large it is.
void Runs::let_go() {
  const std::size_t before = kept_.size();
  while (kept_.size() > 1 && kept_bytes() > most_bytes_) kept_.pop_back();
  if (kept_.size() < before) malloc_trim(0);
}

std::vector<std::shared_ptr<const Run>> Runs::kept() const {
  std::vector<std::shared_ptr<const Run>> out;
  for (const Kept& one : kept_) out.push_back(one.run);
  return out;
}

std::uint64_t Runs::kept_bytes() const {
  std::uint64_t out = 0;
  for (const Kept& one : kept_) out += one.run->bytes();
  return out;
}

}  // namespace stepscope::mcp
