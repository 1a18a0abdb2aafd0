// SPDX-License-Identifier: Apache-2.0
// Analyses runs while a window shows them already: steps and owners first, then what to do. A
// thread of its own computes; the window's thread takes what is ready between two frames.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/summary/finding.hpp"
#include "viewer/view/desk.hpp"

namespace stepscope::viewer {

struct AnalysisOptions {
  DeskOptions desk;
  std::string state_folder;    // where a desk's saved state is; empty: nowhere
  std::function<void()> wake;  // called by the thread whenever something is ready
};

class Analysis {
 public:
  // `glances` are runs as glance() gives them; of others nothing is left to do.
  Analysis(const Desk::Runs& glances, AnalysisOptions options);
  // Waits for the part that is being computed; later ones are left out.
  ~Analysis();
  Analysis(const Analysis&) = delete;
  Analysis& operator=(const Analysis&) = delete;

  struct Taken {
    bool runs = false;      // the desk is a new one, with steps and owners
    bool findings = false;  // its runs have their findings
  };
  // Puts into the desk what is ready. An error is of a run that cannot be analysed, with its path.
  Result<Taken> take(Desk& desk);

  bool is_done() const { return taken_ == Stage::findings; }

 private:
  enum class Stage : std::uint8_t { nothing, runs, findings };

  void work(const Desk::Runs& glances);
  bool analyse_all(const Desk::Runs& glances);
  void find_all();
  void publish(Stage stage);
  void fail(Error error);

  const AnalysisOptions options_;
  std::vector<std::shared_ptr<Run>> runs_;  // the thread's until it publishes them
  std::unique_ptr<Desk> desk_;
  struct Judged {
    std::optional<Findings> findings;
    std::shared_ptr<const Summary> job;
  };
  std::vector<Judged> judged_;
  std::optional<Error> error_;
  std::mutex mutex_;  // guards ready_ and error_
  Stage ready_ = Stage::nothing;
  Stage taken_ = Stage::nothing;  // the window's thread's
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace stepscope::viewer
