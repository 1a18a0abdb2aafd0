// SPDX-License-Identifier: Apache-2.0
#include "cli/programs/ladder_run.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "cli/input/load_summary.hpp"
#include "cli/programs/interruption.hpp"
#include "cli/programs/profiled_run.hpp"
#include "core/support/duration.hpp"

namespace stepscope {
namespace {

std::string whole_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string command_of(const LadderPlan& plan, const PlannedRun& run) {
  return fmt::format("{} {}{}", quoted_for_shell(plan.program), run.arguments, plan.arguments);
}

Result<TrainedRun> run_once(const LadderPlan& plan, const WorkFolder& folder,
                            const PlannedRun& planned, std::uint32_t repeat) {
  const std::string name = folder.at(fmt::format("{}.{}", planned.rung.id, repeat));
  if (plan.resume) {
    if (Result<TrainedRun> kept = parse_trained_run(whole_file(name + ".log")); kept) return kept;
  }
  // Runs in the shell's place, so that a signal reaches the trainer.
  if (const Status ran = run_plain("exec " + command_of(plan, planned), name); !ran)
    return ran.error();
  return parse_trained_run(whole_file(name + ".log"));
}

// The trainer's last line is there once it has ended well; the recording is whole soon after.
Result<Summary> kept_profile(const std::string& name) {
  if (const auto ran = parse_trained_run(whole_file(name + ".log")); !ran) return ran.error();
  return load_summary(name + ".scope");
}

Result<Summary> profile_once(const LadderPlan& plan, const WorkFolder& folder,
                             const PlannedRun& planned) {
  const std::string name = folder.at(planned.rung.id + ".profile");
  std::error_code ignored;
  if (plan.resume) {
    if (Result<Summary> kept = kept_profile(name); kept) return kept;
    std::filesystem::remove_all(name + ".scope", ignored);  // cut short
  }
  ProfiledRunOptions options;
  options.level = plan.level;
  options.start_after = std::to_string(plan.warm_up);
  if (const Status ran = run_profiled(command_of(plan, planned), name, options); !ran)
    return ran.error();
  Result<Summary> summary = load_summary(name + ".scope");
  if (!folder.kept()) std::filesystem::remove_all(name + ".scope", ignored);
  return summary;
}

// A run that the interruption ended says nothing of its rung.
void run_repeat(const LadderPlan& plan, const WorkFolder& folder, std::uint32_t repeat,
                std::vector<RungRuns>& rungs, const ReportProgress& report) {
  for (std::size_t turn = 0; turn < rungs.size(); ++turn) {
    const std::size_t place = repeat % 2 == 0 ? rungs.size() - 1 - turn : turn;
    RungRuns& rung = rungs[place];
    if (!rung.failure.empty()) continue;
    const Result<TrainedRun> run = run_once(plan, folder, plan.runs[place], repeat);
    if (Interruption::came() && !run) return;
    if (run) {
      rung.runs.push_back(*run);
      report(fmt::format("repeat {} of {}  {:<4} {:.0f} tokens/s", repeat, plan.repeats,
                         rung.rung.id, run->tokens_per_s));
    } else {
      rung.failure = run.error().message;
      rung.runs.clear();
      report(fmt::format("repeat {} of {}  {:<4} failed: {}", repeat, plan.repeats, rung.rung.id,
                         rung.failure));
    }
    if (Interruption::came()) return;
  }
}

void profile_rung(const LadderPlan& plan, const WorkFolder& folder, const PlannedRun& planned,
                  RungRuns& rung, const ReportProgress& report) {
  Result<Summary> summary = profile_once(plan, folder, planned);
  if (Interruption::came() && !summary) return;
  if (!summary) {
    rung.failure = "not profiled: " + summary.error().message;
    return report(fmt::format("profile  {:<4} {}", rung.rung.id, rung.failure));
  }
  report(fmt::format("profile  {:<4} {} steps of {}", rung.rung.id,
                     summary->partition.steps_counted,
                     format_duration(summary->partition.wall_ns_per_step())));
  rung.profile = std::move(*summary);
}

}  // namespace

std::string quoted_for_shell(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

Result<TrainerFacts> ask_trainer(const std::string& program, const WorkFolder& folder) {
  const std::string name = folder.at("switches");
  if (const Status ran = run_plain(quoted_for_shell(program) + " --list-switches", name); !ran)
    return ran.error();
  return parse_trainer_facts(whole_file(name + ".log"));
}

Status claim_folder(const LadderPlan& plan, const WorkFolder& folder) {
  const std::string path = folder.at("command");
  const std::string command = quoted_for_shell(plan.program) + plan.arguments + "\n";
  const std::string before = whole_file(path);
  if (!plan.resume && !before.empty())
    return bad_input(
        fmt::format("--keep {}: holds the runs of an earlier ladder; --resume goes on "
                    "from them, another folder begins anew",
                    folder.at("")));
  if (plan.resume && before.empty())
    return bad_input(fmt::format("--resume {}: it holds no runs of a ladder", folder.at("")));
  if (plan.resume && before != command)
    return bad_input(
        fmt::format("--resume {}: its runs are of another command:\n  {}  and not of\n"
                    "  {}give the same options, or another folder by --keep",
                    folder.at(""), before, command));
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << command;
  file.flush();
  return file ? Status(Done{}) : io_error(path + ": cannot be written");
}

LadderRuns run_ladder(const LadderPlan& plan, const WorkFolder& folder,
                      const ReportProgress& report) {
  const Interruption noted;
  LadderRuns out;
  for (const PlannedRun& planned : plan.runs) out.rungs.push_back({.rung = planned.rung});
  for (std::uint32_t repeat = 1; repeat <= plan.repeats && !Interruption::came(); ++repeat)
    run_repeat(plan, folder, repeat, out.rungs, report);
  for (std::size_t i = 0; i < out.rungs.size(); ++i)
    if (plan.profiles && out.rungs[i].failure.empty() && !Interruption::came())
      profile_rung(plan, folder, plan.runs[i], out.rungs[i], report);
  out.interrupted = Interruption::came();
  return out;
}

}  // namespace stepscope
