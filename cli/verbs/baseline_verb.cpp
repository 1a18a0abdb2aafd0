// SPDX-License-Identifier: Apache-2.0
// stepscope baseline save|list|show|rm: runs to gate against, as reports' documents in a plain
// folder.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>

#include "cli/gate/baseline_store.hpp"
#include "cli/input/load_summary.hpp"
#include "cli/output/failure.hpp"
#include "cli/verbs/verbs.hpp"
#include "core/support/duration.hpp"
#include "reports/json/json_documents.hpp"

namespace stepscope {
namespace {

constexpr const char* kBaselineExamples =
    "Examples:\n"
    "  stepscope baseline save main run1.scope run2.scope run3.scope\n"
    "  stepscope gate --baseline main --candidate new*.scope\n"
    "  stepscope baseline list\n"
    "A baseline is a folder of reports' JSON, some kilobytes a run: commit it, or keep it as a "
    "CI's\n"
    "artifact. 'save' reads whatever 'stepscope report' reads.";

struct BaselineArguments {
  std::string folder = kBaselineFolder;
  std::string name;
  std::vector<std::string> runs;
  bool force = false;
  ReadOptions read;
};

// A document is kept as it is; of a trace, its report.
Result<std::string> document_of(const std::string& path, ReadOptions options) {
  options.find = true;  // a later gate may ask what is new
  const Result<Summary> summary = load_summary(path, options);
  if (!summary) return summary.error();
  if (summary->partition.steps_counted == 0)
    return Error{ErrorCode::inconclusive, "no counted step, so nothing could be gated against it"};
  if (!is_report_document(path)) return json_report(*summary);
  std::ifstream file(path, std::ios::binary);
  return std::string{std::istreambuf_iterator<char>(file), {}};
}

int save_baseline(const BaselineArguments& arguments) {
  const Status readable = check_read_options(arguments.read);
  if (!readable) return fail("baseline", "", readable.error());
  std::vector<std::string> documents;
  for (const std::string& path : arguments.runs) {
    auto document = document_of(path, arguments.read);
    if (!document) return fail("baseline", path, document.error());
    documents.push_back(std::move(*document));
  }
  const Status saved =
      BaselineStore(arguments.folder).save(arguments.name, documents, arguments.force);
  if (!saved) return fail("baseline", "", saved.error());
  say("stepscope baseline: '{}' holds {} run{}\n", arguments.name, documents.size(),
      documents.size() == 1 ? "" : "s");
  return kExitPass;
}

int list_baselines(const BaselineArguments& arguments) {
  const auto all = BaselineStore(arguments.folder).list();
  if (!all) return fail("baseline", "", all.error());
  for (const StoredBaseline& baseline : *all)
    fmt::print("{}  {} run{}\n", baseline.name, baseline.files.size(),
               baseline.files.size() == 1 ? "" : "s");
  if (all->empty())
    say("stepscope baseline: none in {}; 'stepscope baseline save NAME RUN...'\n",
        arguments.folder);
  return kExitPass;
}

int show_baseline(const BaselineArguments& arguments) {
  const auto baseline = BaselineStore(arguments.folder).find(arguments.name);
  if (!baseline) return fail("baseline", "", baseline.error());
  for (const std::string& file : baseline->files) {
    const Result<Summary> summary = load_summary(file);
    if (!summary) return fail("baseline", file, summary.error());
    fmt::print("{}  {} step{} of {}  {}  {}\n", file, summary->partition.steps_counted,
               summary->partition.steps_counted == 1 ? "" : "s",
               format_duration(summary->partition.wall_ns_per_step()),
               summary->run.device.empty() ? "no device" : summary->run.device,
               summary->run.command);
  }
  return kExitPass;
}

int remove_baseline(const BaselineArguments& arguments) {
  const Status removed = BaselineStore(arguments.folder).remove(arguments.name);
  return removed ? kExitPass : fail("baseline", "", removed.error());
}

using Arguments = std::shared_ptr<BaselineArguments>;

CLI::App* add_action(CLI::App& verb, const char* name, const char* about,
                     const Arguments& arguments, int& status,
                     int (*action)(const BaselineArguments&)) {
  CLI::App* out = verb.add_subcommand(name, about);
  out->add_option("--dir", arguments->folder, "where baselines are kept")
      ->capture_default_str()
      ->type_name("DIR");
  out->callback([arguments, action, &status] { status = action(*arguments); });
  return out;
}

}  // namespace

void add_baseline_verb(CLI::App& app, int& status) {
  auto arguments = std::make_shared<BaselineArguments>();
  CLI::App* verb = app.add_subcommand("baseline", "Runs to gate against, kept by name");
  verb->require_subcommand(1);
  verb->footer(kBaselineExamples);
  const auto named = [&](CLI::App* action) {
    action->add_option("NAME", arguments->name, "the baseline's name")->required();
    return action;
  };
  CLI::App* save = named(add_action(*verb, "save", "Keep these runs' reports under a name",
                                    arguments, status, save_baseline));
  save->add_option("RUN", arguments->runs, "traces or reports")->required();
  save->add_flag("--force", arguments->force, "replace a baseline of that name");
  add_reading_options(*save, arguments->read);
  add_action(*verb, "list", "The baselines' names", arguments, status, list_baselines);
  named(add_action(*verb, "show", "The runs of one", arguments, status, show_baseline));
  named(add_action(*verb, "rm", "Remove one", arguments, status, remove_baseline));
}

}  // namespace stepscope
