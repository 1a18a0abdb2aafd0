// SPDX-License-Identifier: Apache-2.0
#include "viewer/app/analysis.hpp"

#include <exception>
#include <new>
#include <utility>

#include "core/findings/all_findings.hpp"
#include "viewer/view/desk.hpp"

namespace stepscope::viewer {
namespace {

constexpr const char* kFindingSteps = "finding the steps and who owns their time ...";
constexpr const char* kFindingWhatToDo = "finding what to do ...";

bool is_glance(const Desk::Runs& runs) {
  return !runs.empty() && !runs.front()->is_analysed;
}

}  // namespace

Analysis::Analysis(const Desk::Runs& glances, AnalysisOptions options)
    : options_(std::move(options)) {
  if (!is_glance(glances)) {
    taken_ = Stage::findings;
    return;
  }
  thread_ = std::thread([this, glances] { work(glances); });
}

Analysis::~Analysis() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

void Analysis::work(const Desk::Runs& glances) {
  try {  // what leaves a thread ends the program without a word
    if (analyse_all(glances) && !stop_) find_all();
  } catch (const std::bad_alloc&) {
    fail(io_error("memory ran out; a shorter recording needs less"));
  } catch (const std::exception& error) {
    fail(io_error(error.what()));
  }
}

void Analysis::fail(Error error) {
  {
    const std::scoped_lock lock(mutex_);
    error_ = std::move(error);
  }
  if (options_.wake) options_.wake();
}

bool Analysis::analyse_all(const Desk::Runs& glances) {
  for (const auto& glance : glances) {
    if (stop_) return false;
    RunOptions options = glance->options;
    options.find = false;
    auto run = analyse(glance->trace, options);
    if (!run) {
      Error error = run.error();
      error.message = glance->trace.data().path + ": " + error.message;
      fail(std::move(error));
      return false;
    }
    run->options.find = glance->options.find;
    runs_.push_back(std::make_shared<Run>(std::move(*run)));
  }
  desk_ = std::make_unique<Desk>(Desk::Runs(runs_.begin(), runs_.end()), options_.desk);
  load_saved(*desk_, options_.state_folder);
  desk_->open();
  publish(Stage::runs);
  return true;
}

// Finds what to do. Reads runs that the window shows meanwhile; neither side writes to them.
void Analysis::find_all() {
  for (const auto& run : runs_) {
    if (stop_) return;
    judged_.emplace_back();
    if (!run->options.find) continue;
    judged_.back().findings =
        find_all_replayed(run->trace, run->steps, run->attribution, run->summary);
    judged_.back().job = job_of(*run);
  }
  publish(Stage::findings);
}

void Analysis::publish(Stage stage) {
  {
    const std::scoped_lock lock(mutex_);
    ready_ = stage;
  }
  if (options_.wake) options_.wake();
}

Result<Analysis::Taken> Analysis::take(Desk& desk) {
  const std::scoped_lock lock(mutex_);
  if (error_) return *error_;
  Taken out;
  if (taken_ == Stage::nothing) desk.pending = kFindingSteps;
  if (taken_ == Stage::nothing && ready_ >= Stage::runs) {
    desk_->take_over(desk);
    desk = std::move(*desk_);
    desk.pending = kFindingWhatToDo;
    taken_ = Stage::runs;
    out.runs = true;
  }
  if (taken_ == Stage::runs && ready_ == Stage::findings) {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      runs_[i]->summary.findings = std::move(judged_[i].findings);
      runs_[i]->job = std::move(judged_[i].job);
    }
    desk.renew_tables();
    desk.pending.clear();
    taken_ = Stage::findings;
    out.findings = true;
  }
  return out;
}

}  // namespace stepscope::viewer
