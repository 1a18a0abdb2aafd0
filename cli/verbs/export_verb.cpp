// SPDX-License-Identifier: Apache-2.0
// stepscope export TRACE --to FORMAT -o FILE: a run and its causes for other tools.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/input/load_summary.hpp"
#include "cli/input/loaded_run.hpp"
#include "cli/output/failure.hpp"
#include "cli/output/output.hpp"
#include "cli/output/progress_bar.hpp"
#include "cli/output/whole_file.hpp"
#include "cli/verbs/option_hints.hpp"
#include "cli/verbs/verbs.hpp"
#include "core/exporters/exported.hpp"
#include "core/importers/load.hpp"

namespace stepscope {
namespace {

constexpr const char* kExportExamples =
    "Examples:\n"
    "  stepscope export run.scope --to perfetto -o run.pftrace   open it in ui.perfetto.dev\n"
    "  stepscope export trace.json.gz --to sqlite -o run.db && sqlite3 run.db 'select * from "
    "partition'\n"
    "  stepscope export run.scope --to csv -o cells.csv          ns by step, cause, phase, line\n"
    "  stepscope export run.scope --to csv --table device_ops -o ops.csv\n"
    "The file appears whole or not at all. Tables and views: stepscope help export.\n"
    "A page or Markdown of a run is its report: stepscope report run.scope -o run.html";

struct ExportArguments {
  std::string trace;
  std::string format;
  std::string output;
  ReadOptions read;
  ExportOptions options;
};

const Exporter* exporter_named(const std::string& name) {
  const auto all = all_exporters();
  const auto found =
      std::find_if(all.begin(), all.end(), [&name](const Exporter& e) { return e.name == name; });
  return found == all.end() ? nullptr : &*found;
}

Status write_export(const ExportArguments& arguments, const Trace& trace, const WholeFile& file) {
  const Result<Steps> steps = find_steps(trace, {.marker_regex = arguments.read.step_marker,
                                                 .rank = arguments.read.rank,
                                                 .pid = arguments.read.pid,
                                                 .section = arguments.read.section});
  if (!steps) return steps.error();
  const auto attribution = attribute(trace, *steps, {.phase_regex = arguments.read.phase});
  if (!attribution) return attribution.error();
  ProgressBar bar("writing " + arguments.output, stderr_is_terminal());
  return exporter_named(arguments.format)
      ->write({trace, *steps, *attribution}, arguments.options, file.path(), bar.callback());
}

Result<Trace> load_trace(const std::string& path) {
  if (is_report_document(path))
    return bad_input("a report's document, which holds no events: give the trace itself");
  recover_run(path);
  ProgressBar bar("reading " + path, stderr_is_terminal());
  return load(path, bar.callback());
}

int run_export(const ExportArguments& arguments) {
  if (arguments.format.empty())
    return fail("export", "",
                usage_error("--to is missing: perfetto, sqlite or csv; the name of the "
                            "file does not say which"));
  if (!arguments.options.table.empty() && arguments.format != "csv")
    return fail("export", "",
                usage_error("--table chooses a table of --to csv; the other formats "
                            "hold all of them"));
  const Status checked = check_read_options(arguments.read);
  if (!checked) return fail("export", "", checked.error());
  if (const Status other = refuse_input(arguments.output, {&arguments.trace, 1}); !other)
    return fail("export", "", other.error());
  auto file = WholeFile::open(arguments.output);
  if (!file) return fail("export", arguments.output, file.error());
  const Result<Trace> trace = load_trace(arguments.trace);
  if (!trace) return fail("export", arguments.trace, trace.error());
  Status done = write_export(arguments, *trace, *file);
  if (done) done = file->take_place();
  if (!done) return fail("export", "", done.error());
  say("stepscope: wrote {}\n", arguments.output);
  return kExitPass;
}

}  // namespace

void add_export_verb(CLI::App& app, int& status) {
  auto arguments = std::make_shared<ExportArguments>();
  CLI::App* verb =
      app.add_subcommand("export", "A run and its causes for other tools: Perfetto, SQLite, CSV");
  verb->add_option("TRACE", arguments->trace, "A recorded run of any format that report reads")
      ->required();
  const std::vector<std::string> formats = {"perfetto", "sqlite", "csv"};
  const CLI::Option* to =
      verb->add_option("--to", arguments->format,
                       "by default what the file's name says: .pftrace, .sqlite or .csv")
          ->check(one_of(formats))
          ->type_name("FORMAT");
  verb->add_option("-o,--output", arguments->output, "the file to write")
      ->type_name("FILE")
      ->required();
  let_name_choose_format(*verb, *to, formats, arguments->format, arguments->output);
  verb->add_option("--table", arguments->options.table, "of csv: which table; by default cells")
      ->type_name("NAME");
  add_reading_options(*verb, arguments->read);
  add_process_options(*verb, arguments->read);
  verb->footer(kExportExamples);
  verb->callback([arguments, &status] { status = run_export(*arguments); });
}

}  // namespace stepscope
