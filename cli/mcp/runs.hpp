// SPDX-License-Identifier: Apache-2.0
// The runs that a session asks about: each is loaded once and kept, those used longest ago are let
// go where all together are beyond the bound. A run that was recorded anew at its path (another
// size or time of change) is loaded again.
//
// Bytes are those of a run's events, segments and cells; sums and the replay come on top, some
// percent of them.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/input/loaded_run.hpp"
#include "cli/mcp/arguments.hpp"
#include "core/simulate/simulator.hpp"

namespace stepscope::mcp {

Field trace_field();
// "section", "rank", "step_marker", "phase": how a run's steps and phases are found.
std::vector<Field> reading_fields();

struct RunName {
  std::string path;
  ReadOptions read;

  bool is_same(const RunName& other) const;
};

// A run and what is read off it, made when it is first asked for.
class Run {
 public:
  // A report's document has sums and no events.
  Run(RunName name, LoadedRun loaded) : name_(std::move(name)), loaded_(std::move(loaded)) {}
  Run(RunName name, Summary document) : name_(std::move(name)), document_(std::move(document)) {}

  const RunName& name() const { return name_; }
  // Returns what 'stepscope report' says: the summary of all ranks, where the run has several and
  // none was chosen.
  const Summary& summary();
  const Summary& summary_with_findings();
  // Returns that of all ranks, where the run has several, whichever was chosen.
  const Summary& summary_of_job();
  // Returns that of the one rank whose steps and replay are held.
  const Summary& summary_of_rank() const { return loaded_ ? loaded_->summary : *document_; }
  const Findings& findings_of_rank();  // only for a run with events
  // Error: usage, for a report's document.
  Result<const LoadedRun*> events() const;
  Result<const Simulator*> replay();  // errors: inconclusive too
  std::uint64_t bytes() const;

 private:
  void read_job_once(bool find);
  const Result<Simulator>& made_replay();  // only for a run with events

  RunName name_;
  std::optional<LoadedRun> loaded_;
  std::optional<Summary> document_;
  bool asked_for_job_ = false;
  std::optional<Summary> job_;  // nothing where the run is of one rank
  std::optional<Result<Simulator>> replay_;
};

class Runs {
 public:
  // `given`: the traces of the command line; `most_bytes`: the bound of what is kept.
  Runs(std::vector<std::string> given, std::uint64_t most_bytes)
      : given_(std::move(given)), most_bytes_(most_bytes) {}

  // The run that "trace" names; without it the only one of the command line. Errors name the path.
  // The run stays usable as long as it is held.
  Result<std::shared_ptr<Run>> named_by(const Arguments& arguments, const Progress& progress);
  Result<std::shared_ptr<Run>> at(const std::string& path, const Progress& progress);

  // The same, read as the reading fields say where any is given. Where that can be done, all later
  // answers of it are read so, and agree; where it cannot, all stays as it was.
  Result<std::shared_ptr<Run>> read_as(const Arguments& arguments, const Progress& progress);

  const std::vector<std::string>& given() const { return given_; }
  std::vector<std::shared_ptr<const Run>> kept() const;  // the last used first
  std::uint64_t kept_bytes() const;
  std::uint64_t most_bytes() const { return most_bytes_; }

 private:
  struct Kept {
    std::shared_ptr<Run> run;
    std::uint64_t stamp;
  };

  Result<std::string> path_named_by(const Arguments& arguments) const;
  std::string path_of(const std::string& word) const;
  Result<std::shared_ptr<Run>> get(RunName name, const Progress& progress);
  void let_go();

  std::vector<std::string> given_;
  std::uint64_t most_bytes_;
  std::list<Kept> kept_;                        // the last used first
  std::map<std::string, ReadOptions> reading_;  // by path, where it is not the default
};

}  // namespace stepscope::mcp
