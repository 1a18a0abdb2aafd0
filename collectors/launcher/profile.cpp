// SPDX-License-Identifier: Apache-2.0
#include "collectors/launcher/profile.hpp"

#include <fmt/ranges.h>
#include <regex.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <optional>

#include "collectors/launcher/bounded_work.hpp"
#include "collectors/launcher/child.hpp"
#include "collectors/launcher/environment.hpp"
#include "collectors/launcher/launched_rank.hpp"
#include "collectors/launcher/message.hpp"
#include "collectors/launcher/output_folder.hpp"
#include "collectors/launcher/preload_path.hpp"
#include "collectors/launcher/recorded_stores.hpp"
#include "collectors/launcher/run_file.hpp"
#include "collectors/recorder/draining/salvage.hpp"
#include "core/model/losses.hpp"
#include "core/support/words.hpp"

namespace stepscope {
namespace {

using namespace launcher;

constexpr int kUsage = 2;
constexpr std::chrono::seconds kLongestReduction{30};

std::int64_t now_ns() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

Status check(const ProfileOptions& options) {
  if (options.command.empty())
    return usage_error("no command given; write: stepscope profile -- COMMAND...");
  constexpr std::string_view kLevels[] = {"light", "standard", "deep"};
  if (std::find(std::begin(kLevels), std::end(kLevels), options.level) == std::end(kLevels)) {
    return usage_error("--level " + options.level + " is none of light, standard, deep");
  }
  regex_t expression;
  const int error = regcomp(&expression, options.only.c_str(), REG_EXTENDED | REG_NOSUB);
  if (error != 0) {
    char why[256];
    regerror(error, &expression, why, sizeof(why));
    return usage_error("--only '" + options.only + "' is no regular expression: " + why);
  }
  regfree(&expression);
  return Done{};
}

// One profiled run, from the folder to the summary.
class ProfiledRun {
 public:
  ProfiledRun(const ProfileOptions& options, std::string library, const ReduceRanks& reduce)
      : options_(options),
        reduce_(reduce),
        environment_(current_environment()),
        library_(std::move(library)) {}

  // An error: nothing is left behind, and the command can still run unprofiled.
  Status prepare() {
    Result<OutputFolder> made = make_output_folder(output_name());
    if (!made) return made.error();
    folder_ = made->made;
    above_ = made->above;
    if (made->wanted != folder_) say_that_it_exists(made->wanted);
    facts_ = {.command = options_.command,
              .level = options_.level,
              .ops = options_.ops,
              .only = options_.only};
    facts_.started_ns = now_ns();
    Status ready = check_space(folder_);
    if (ready.ok()) ready = write_run_file(folder_, facts_, environment_);
    if (!ready.ok()) remove_folder();
    return ready;
  }

  int run() {
    Environment profiled = environment_;
    facts_.rivals = add_injection(profiled, {library_, folder_, may_preload()}, options_);
    for (const std::string& rival : facts_.rivals) {
      say("{} belongs to another tool and stays; only one can trace the device", rival);
    }
    name_device_tool(profiled);
    const ChildEnd end = run_child(options_.command, profiled, [this](pid_t child) {
      signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error, not our end
      // How the child itself ends is known only behind its end.
      (void)recorder::salvage(folder_, {{child, ExitReason::still_running, 0}},
                              recorder::Depth::quick);
    });
    if (end.exec_error != 0) {
      say("cannot run {}: {}", options_.command.front(), std::strerror(end.exec_error));
      remove_folder();
      return exit_status_of(end);
    }
    collect(end);
    return exit_status_of(end);
  }

 private:
  // Ranks that a launcher started side by side agree on a name without a time.
  std::string output_name() const {
    const std::string& given = options_.output;
    if (!launched_)
      return given.empty() ? default_name(options_.command, now_ns() / 1'000'000'000) : given;
    return name_of_rank(given.empty() ? program_name(options_.command) : given, launched_->rank,
                        !options_.overwrite);
  }

  void say_that_it_exists(const std::string& earlier) {
    const std::string shown = shown_path(earlier), made = shown_path(folder_);
    if (!options_.overwrite) {
      say("{} exists: writing {} (--overwrite replaces it)", shown, made);
    } else if (const std::string why = why_it_stays(earlier); !why.empty()) {
      say("{} {}: writing {}", shown, why, made);
    } else {
      earlier_ = earlier;
    }
  }

  bool may_preload() const {
    const std::string program = find_program(options_.command.front());
    if (program.empty()) return true;
    if (needs_to_be_first(program)) {
      say("{} is built with a sanitizer that must be loaded first: it gets no LD_PRELOAD, so its "
          "PyTorch ops are "
          "not recorded (NVTX ranges are)",
          program);
      return false;
    }
    if (!is_dynamic(program))
      say("{} is statically linked: nothing can be recorded in it", program);
    return true;
  }

  void name_device_tool(Environment& profiled) {
    const std::string& tool = options_.command.front();
    if (!takes_the_device(tool)) return;
    say("{} traces the device itself, and only one can: of its program the host side alone is "
        "recorded (PyTorch's operations, NVTX ranges)",
        tool);
    profiled.try_emplace("STEPSCOPE_RIVAL", tool);
    facts_.rivals.push_back(tool);
  }

  void collect(const ChildEnd& end) {
    signal(SIGXFSZ, SIG_IGN);
    const bool killed = WIFSIGNALED(end.status);
    const recorder::ProcessEnd known{end.pid, killed ? ExitReason::signalled : ExitReason::exited,
                                     killed ? WTERMSIG(end.status) : WEXITSTATUS(end.status)};
    const recorder::Salvage salvaged = salvage_all(known);
    for (const std::string& problem : salvaged.problems) say("{}", problem);
    facts_.ended_ns = now_ns();
    (killed ? facts_.signal : facts_.exit_status) = known.status;
    facts_.recovered = salvaged.recovered;
    const RecordedStores stores(folder_);
    facts_.processes = static_cast<std::uint32_t>(stores.count());
    if (Status written = write_run_file(folder_, facts_, environment_); !written.ok()) {
      say("{}", written.error().message);
    }
    say_failure();
    if (stores.count() == 0 || (!options_.capture.any() && stores.hold_starts_only(failed())))
      return nothing_recorded(salvaged);
    if (options_.native_lines) stores.keep_native_lines();
    if (options_.source_text) stores.keep_source_text(facts_.started_ns);
    if (!earlier_.empty()) replace_earlier(salvaged);
    reduce_ranks(salvaged);
    summarise(salvaged);
  }

  // Helpers of Python's multiprocessing end a moment behind the program.
  recorder::Salvage salvage_all(const recorder::ProcessEnd& known) const {
    constexpr int kTries = 10;
    recorder::Salvage all = recorder::salvage(folder_, {known}, recorder::Depth::full);
    for (int i = 0; i < kTries && !all.recording.empty(); ++i) {
      usleep(50'000);
      recorder::Salvage later = recorder::salvage(folder_, {known}, recorder::Depth::full);
      later.recovered += all.recovered;
      later.problems.insert(later.problems.begin(), all.problems.begin(), all.problems.end());
      all = std::move(later);
    }
    return all;
  }

  bool failed() const { return facts_.signal || facts_.exit_status.value_or(0) != 0; }

  void say_failure() const {
    const std::string& program = options_.command.front();
    if (facts_.signal)
      say("{} was ended by signal {} ({})", program, *facts_.signal, strsignal(*facts_.signal));
    else if (failed())
      say("{} ended with status {}", program, *facts_.exit_status);
  }

  // A process that lives on may still write into the folder; of one whose files are damaged they
  // are all that is left.
  void nothing_recorded(const recorder::Salvage& salvaged) const {
    if (salvaged.running > 0) {
      say("nothing is recorded yet, and {} process{} of the command still run{}: {} stays for what "
          "that may record",
          salvaged.running, salvaged.running == 1 ? "" : "es", salvaged.running == 1 ? "s" : "",
          shown_path(folder_));
      return;
    }
    say("{}", why_nothing_was_recorded());
    if (salvaged.problems.empty() && why_it_stays(folder_).empty()) {
      remove_folder();
      say("{} held nothing and was removed", shown_path(folder_));
    }
  }

  // The program has said itself why it failed.
  std::string why_nothing_was_recorded() const {
    if (failed())
      return "nothing was recorded: the program ended before it did anything that is recorded";
    return fmt::format(
        "no process recorded anything: neither PyTorch (2.4 to 2.15, no nightly; "
        "STEPSCOPE_TRUST_TORCH=1 tries any), nor NVTX ranges, nor Python that computes with a "
        "library in machine code, such as NumPy, was seen{}{}; marks show the steps of any "
        "program: "
        "'stepscope help recording'",
        options_.only.empty() ? "" : " in the processes that --only selects",
        options_.capture.any() ? " at the time that the capture options name" : "");
  }

  void replace_earlier(const recorder::Salvage& salvaged) {
    if (salvaged.running > 0) {
      say("{} stays: processes still record into {}", shown_path(earlier_), shown_path(folder_));
    } else if (Status replaced = replace_run(earlier_, folder_); replaced.ok()) {
      folder_ = earlier_;
    } else {
      say("{}", replaced.error().message);
    }
  }

  // Files that may still grow would make a summary of another recording. Without it the report of the
  // job reads all events and says the same.
  void reduce_ranks(const recorder::Salvage& salvaged) const {
    if (!reduce_ || salvaged.running > 0) return;
    const std::string why = do_bounded([this] { return reduce_(folder_); }, kLongestReduction);
    if (!why.empty())
      say("no summaries of the ranks were written, so that a report reads all of their events: {}",
          why);
  }

  void say_running(const recorder::Salvage& salvaged) const {
    if (salvaged.recording.empty()) return;
    say("process{} {} still run{} and go{} on recording into {}: a report made before the end "
        "lacks "
        "the rest",
        salvaged.recording.size() == 1 ? "" : "es", fmt::join(salvaged.recording, ", "),
        salvaged.recording.size() == 1 ? "s" : "", salvaged.recording.size() == 1 ? "es" : "",
        shown_path(folder_));
  }

  // Workers that are forked end without a word as a rule: where the command ended well, that is no
  // news.
  void summarise(const recorder::Salvage& salvaged) const {
    const RecordedStores stores(folder_);
    say("recorded {}{} ({} KiB{})",
        salvaged.problems.empty() ? "" : "a part: ", shown_path(folder_),
        (stores.bytes() + 1023) / 1024,
        stores.count() == 1 ? "" : fmt::format("; {} processes", stores.count()));
    if (salvaged.recovered > 0 && failed())
      say("{}",
          stores.count() == 1
              ? "the process ended without a word; its last records were recovered"
              : fmt::format("{} of them ended without a word; their last records were recovered",
                            salvaged.recovered));
    say_running(salvaged);
    if (options_.capture.any())
      for (const std::string& why : stores.why_nothing_recorded())
        say("{}{}", kNothingRecorded, why);
    say_what_is_next();
  }

  void say_what_is_next() const {
    if (!launched_) return say("now run: stepscope report {}", shell_word(shown_path(folder_)));
    if (launched_->rank > 0) return;
    const std::string job = std::filesystem::path(folder_).parent_path().string();
    say("when all {} ranks have ended, run: stepscope report {}", launched_->size,
        shell_word(shown_path(job)));
  }

  void remove_folder() const { remove_output_folder({folder_, "", above_}); }

  const ProfileOptions& options_;
  const ReduceRanks& reduce_;
  Environment environment_;
  std::optional<LaunchedRank> launched_ = launched_rank(environment_);
  std::string library_;
  std::string folder_;
  std::string above_;    // the folders that were made for it, down from this one
  std::string earlier_;  // the recording that this run replaces once it has recorded something
  RunFacts facts_;
};

int run_unprofiled(const ProfileOptions& options, const std::string& why) {
  say("{}", why);
  say("the command runs unprofiled");
  const ChildEnd end = run_child(options.command, current_environment(), [](pid_t) {});
  if (end.exec_error != 0)
    say("cannot run {}: {}", options.command.front(), std::strerror(end.exec_error));
  return exit_status_of(end);
}

}  // namespace

int run_profile(const ProfileOptions& given, const ReduceRanks& reduce) {
  ProfileOptions options = given;
  const Result<CaptureOptions> capture = check_capture(given.capture);
  Status good = capture.ok() ? check(given) : Status(capture.error());
  if (!good.ok()) {
    say("{}", good.error().message);
    return kUsage;
  }
  options.capture = *capture;
  const std::string library = find_inject_library();
  if (library.empty()) {
    return run_unprofiled(options,
                          "libstepscope_inject.so is not beside stepscope; build it, or name it in "
                          "STEPSCOPE_INJECT_LIBRARY");
  }
  const Result<std::string> preload = preload_path(library, link_folder());
  if (!preload) return run_unprofiled(options, preload.error().message);
  ProfiledRun run(options, *preload, reduce);
  if (Status ready = run.prepare(); !ready.ok())
    return run_unprofiled(options, ready.error().message);
  return run.run();
}

}  // namespace stepscope
