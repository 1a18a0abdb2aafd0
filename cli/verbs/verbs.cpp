// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/verbs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <iterator>
#include <new>
#include <string_view>
#include <utility>

#include "cli/output/build_commit.hpp"
#include "cli/output/exit_codes.hpp"
#include "cli/output/failure.hpp"
#include "cli/verbs/option_hints.hpp"
#include "cli/verbs/pages.hpp"
#include "core/support/words.hpp"

namespace stepscope {
namespace {

constexpr const char* kAbout =
    "stepscope: where does the wall time of a training step go?\n"
    "Every nanosecond of a step has one owner; the owners sum to the step's time.";

constexpr const char* kExamples =
    "Examples:\n"
    "  stepscope profile -- python train.py        run a program and record it\n"
    "  stepscope report trace.json.gz              a PyTorch profiler trace, as one screen\n"
    "  stepscope report run.scope --format json    the same as JSON\n"
    "  stepscope explain host_sync                 what a report's finding means, and what to do\n"
    "  stepscope diff before.scope after.scope     why one run's step is longer than another's\n"
    "  stepscope whatif run.scope                  what each fix would give, by replay\n"
    "  stepscope gate --baseline a1.json a2.json a3.json --candidate b*.scope   a regression?\n"
    "  stepscope view run.scope                    the timeline, in a window or as a picture\n"
    "  stepscope export run.scope --to perfetto -o run.pftrace   for ui.perfetto.dev\n"
    "  stepscope doctor                            what can be collected on this machine\n"
    "  stepscope mcp run.scope                     serves the run to a coding agent\n"
    "  stepscope train clt --help                  the reference trainer and its options\n"
    "  stepscope ladder llm --rungs R0..R5         what each optimisation of a trainer brings\n"
    "  stepscope report --help                     every verb has its own help\n"
    "  stepscope help                              the pages of the documentation\n";

std::vector<std::string> verb_names(const CLI::App& app) {
  std::vector<std::string> names;
  const auto every = [](const CLI::App*) { return true; };
  for (const CLI::App* verb : app.get_subcommands(every)) names.push_back(verb->get_name());
  return names;
}

// The word in the verb's place, if it is neither an option nor a verb.
std::string unknown_verb(const CLI::App& app, int argc, const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-') return "";
  const std::vector<std::string> names = verb_names(app);
  const bool known = std::find(names.begin(), names.end(), argv[1]) != names.end();
  return known ? "" : argv[1];
}

// The verb that does what other profilers call `word`; empty where none is known.
std::string_view verb_called_elsewhere(std::string_view word) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"record", "profile"}, {"run", "profile"},    {"trace", "profile"},  {"capture", "profile"},
      {"stat", "report"},    {"stats", "report"},   {"analyze", "report"}, {"show", "report"},
      {"compare", "diff"},   {"predict", "whatif"}, {"open", "view"},      {"ui", "view"},
      {"convert", "export"}, {"check", "doctor"},   {"status", "doctor"}};
  const auto* at = std::ranges::find(kNames, word, [](const auto& name) { return name.first; });
  return at == std::end(kNames) ? "" : at->second;
}

int fail_unknown(const CLI::App& app, const std::string& word) {
  if (const std::string advice = advice_for(word); !advice.empty())
    return fail("", "", usage_error(fmt::format("'{}' is no verb: {}", word, advice)));
  const std::vector<std::string> names = verb_names(app);
  std::string_view near = verb_called_elsewhere(word);
  if (near.empty()) near = nearest(word, {names.begin(), names.end()});
  const std::string hint = near.empty() ? "" : fmt::format("did you mean '{}'? ", near);
  return fail(
      "", "",
      usage_error(fmt::format("'{}' is no verb; {}'stepscope --help' lists them", word, hint)));
}

// The verb whose arguments were wrong, for the message.
std::string called_verb(const CLI::App& app) {
  const auto called = app.get_subcommands();
  return called.empty() ? "" : called.front()->get_name();
}

// CLI11 names what it did not expect, and not what it may have been.
std::string what_was_wrong(const CLI::App& app, const CLI::ParseError& error, int argc,
                           const char* const* argv) {
  const CLI::App* verb = &app;
  while (!verb->get_subcommands().empty()) verb = verb->get_subcommands().front();
  const int code = error.get_exit_code();  // a mistyped option that is required is missing, too
  const bool may_be_mistyped = code == static_cast<int>(CLI::ExitCodes::ExtrasError) ||
                               code == static_cast<int>(CLI::ExitCodes::RequiredError);
  const std::string option =
      may_be_mistyped && verb != &app ? first_unknown_option(*verb, argc, argv) : std::string();
  return option.empty() ? error.what() : option;
}

int finish(CLI::App& app, const CLI::ParseError& error, int argc, const char* const* argv) {
  if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
  const std::string verb = called_verb(app);
  const std::string help = verb.empty() ? "stepscope --help" : "stepscope " + verb + " --help";
  return fail(
      verb, "",
      usage_error(fmt::format("{}; see '{}'", what_was_wrong(app, error, argc, argv), help)));
}

// Returns where a verb's own words end: at the first that is neither an option of it nor an
// option's value.
std::size_t end_of_options(const CLI::App& verb, const std::vector<const char*>& words,
                           std::size_t at) {
  for (; at < words.size(); ++at) {
    const std::string word(words[at]);
    if (word == "--" || !word.starts_with('-')) break;
    const CLI::Option* option = verb.get_option_no_throw(word);
    if (option != nullptr && option->get_items_expected_min() > 0) ++at;
  }
  return at;
}

// CLI11 2.1 counts what follows "--" as positional arguments, of which a verb that runs a command
// has none. Without "--" the command begins at the first word that is no option, as it should; a
// later "--" is the command's own.
std::vector<const char*> without_separator(const CLI::App& app, int argc, const char* const* argv) {
  std::vector<const char*> words(argv, argv + argc);
  if (argc < 2 || std::string_view(argv[1]) != "profile") return words;
  const std::size_t at = end_of_options(*app.get_subcommand("profile"), words, 2);
  if (at < words.size() && std::string_view(words[at]) == "--")
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
  return words;
}

// Returns the status once the output has left: a full disk behind stdout is an error like any
// other. A verb that failed on it has said so.
int status_once_said(const std::string& verb, int status) {
  if (status == kExitBadInput) return status;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  return fail(verb, "", io_error("standard output cannot be written; choose another place"));
}

}  // namespace

CLI::Validator finite() {
  const auto check = [](const std::string& text) {
    double value = 0;
    const bool number = CLI::detail::lexical_cast(text, value) && std::isfinite(value);
    return number ? std::string() : fmt::format("'{}' is no finite number", text);
  };
  return {check, "", "finite"};
}

CLI::Validator above_zero() {
  const auto check = [](const std::string& text) {
    double value = 0;
    const bool number = CLI::detail::lexical_cast(text, value) && std::isfinite(value);
    return number && value > 0 ? std::string() : fmt::format("'{}' is no number above 0", text);
  };
  return {check, "", "above 0"};
}

void add_verbs(CLI::App& app, int& status) {
  app.set_version_flag("--version",
                       fmt::format("stepscope " STEPSCOPE_VERSION " ({})", build_commit()));
  app.require_subcommand(0, 1);
  app.footer(std::string(kExamples) + "\n" + kExitCodesHelp);
#ifdef STEPSCOPE_HAS_PROFILE
  add_profile_verb(app, status);
  add_doctor_verb(app, status);
#endif
  add_report_verb(app, status);
  add_explain_verb(app, status);
  add_diff_verb(app, status);
  add_whatif_verb(app, status);
  add_gate_verb(app, status);
  add_baseline_verb(app, status);
  add_view_verb(app, status);
  add_export_verb(app, status);
  add_train_verb(app, status);
#ifdef STEPSCOPE_HAS_PROFILE
  add_ladder_verb(app, status);
#endif
  add_mcp_verb(app, status);
  add_completion_verb(app, status);
  add_help_verb(app, status);
}

int run_cli(int argc, const char* const* argv) {
  CLI::App app(kAbout, "stepscope");
  int status = kExitPass;
  add_verbs(app, status);

  if (argc > 1 && std::string_view(argv[1]) == "--")
    return fail("", "",
                usage_error("a verb is missing before '--'; to record a command: stepscope profile "
                            "-- COMMAND"));
  const std::string unknown = unknown_verb(app, argc, argv);
  if (!unknown.empty()) return fail_unknown(app, unknown);
  if (argc < 2) {
    say("{}", app.help());
    return kExitUsage;
  }
  try {
    const std::vector<const char*> words = without_separator(app, argc, argv);
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& error) {
    return finish(app, error, argc, argv);
  } catch (const std::bad_alloc&) {
    return fail(called_verb(app), "", io_error("memory ran out; a shorter recording needs less"));
  } catch (const std::exception& error) {
    return fail(called_verb(app), "", io_error(error.what()));
  }
  return status_once_said(called_verb(app), status);
}

}  // namespace stepscope
