// SPDX-License-Identifier: Apache-2.0
// stepscope view TRACE [OTHER]: the timeline of one run or two, in a window or as a picture.
#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <memory>

#include "cli/input/later_recording.hpp"
#include "cli/input/load_summary.hpp"
#include "cli/input/loaded_run.hpp"
#include "cli/output/exit_codes.hpp"
#include "cli/output/failure.hpp"
#include "cli/output/output.hpp"
#include "cli/output/progress_bar.hpp"
#include "cli/verbs/option_hints.hpp"
#include "cli/verbs/verbs.hpp"
#include "core/importers/load.hpp"
#include "core/support/duration.hpp"
#include "core/support/words.hpp"
#ifdef STEPSCOPE_HAS_VIEWER
#include "cli/verbs/viewer_module.hpp"
#endif

namespace stepscope {
namespace {

constexpr const char* kViewExamples =
    "Examples:\n"
    "  stepscope view run.scope                      a window; press ? in it for its keys\n"
    "  stepscope view before.scope after.scope       two runs, aligned step by step, and their "
    "difference\n"
    "  stepscope view trace.json.gz --screenshot out.png --size 1920x1080 --theme light\n"
    "  stepscope view run.scope --screenshot out.png --range 10ms:25ms   of the time since its "
    "begin\n"
    "  stepscope view run.scope --tab 'What to do' --screenshot out.png\n"
    "  xvfb-run stepscope view run.scope             a window without a display, for tests\n"
    "It opens on the step nearest to the median, with the largest owner of its time selected.\n"
    "--screenshot needs no display: it is drawn by EGL, in software where there is no GPU.";

struct ViewArguments {
  std::vector<std::string> traces;
  std::string screenshot;
  std::string size = "1920x1080";
  std::string range;
  std::string theme = "dark";
  ReadOptions read;
  double scale = 0;
  int frames = 0;
  std::string tab;
  std::string search;
  bool anyway = false;
};

// Pictures are PNG; a file whose name says something else would be one that no program opens.
std::string why_no_picture_name(const std::string& file) {
  std::filesystem::path path(file);
  const std::string end = path.extension().string();
  if (end.empty() || end == ".png" || end == ".PNG") return "";
  return fmt::format("{}: pictures are written as PNG; name it {}", file,
                     path.replace_extension(".png").string());
}

#ifdef STEPSCOPE_HAS_VIEWER

constexpr int kLeastSide = 320;
constexpr int kMostSide = 16'384;

std::optional<int> side(std::string_view text) {
  int value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
  if (!whole || value < kLeastSide || value > kMostSide) return std::nullopt;
  return value;
}

Status read_size(const std::string& text, viewer::ViewOptions& out) {
  const std::size_t cross = text.find('x');
  const auto width = side(std::string_view(text).substr(0, cross));
  const auto height = cross == std::string::npos ? std::nullopt : side(text.substr(cross + 1));
  if (!width || !height)
    return usage_error(
        fmt::format("--size '{}': WIDTHxHEIGHT in pixels, each {} to {}, like 1920x1080", text,
                    kLeastSide, kMostSide));
  out.width = *width;
  out.height = *height;
  return Done{};
}

Status read_range(const std::string& text, viewer::ViewOptions& out) {
  if (text.empty()) return Done{};
  const std::size_t colon = text.find(':');
  const std::string from = text.substr(0, colon);
  const auto begin = from == "0" ? Result<std::int64_t>(0) : parse_duration(from);
  const auto end = parse_duration(colon == std::string::npos ? "" : text.substr(colon + 1));
  if (!begin || !end || *begin >= *end)
    return usage_error(fmt::format(
        "--range '{}': BEGIN:END since the trace's begin, with units, like 10ms:25ms or 0:5ms",
        text));
  out.range = Interval{*begin, *end};
  return Done{};
}

Result<viewer::ViewOptions> view_options(const ViewArguments& arguments) {
  viewer::ViewOptions out;
  out.screenshot = arguments.screenshot;
  out.light = arguments.theme == "light";
  out.close_after_frames = arguments.frames;
  out.tab = arguments.tab;
  out.search = arguments.search;
  out.anyway = arguments.anyway;
  if (arguments.scale > 0) out.scale = arguments.scale;
  if (const Status size = read_size(arguments.size, out); !size) return size.error();
  if (const Status range = read_range(arguments.range, out); !range) return range.error();
  return out;
}

constexpr double kBytesAnEvent = 120;  // levels of detail and tables, beside the trace itself

// Loads a run: for a picture all that there is to say of it; for a window what was recorded, which
// it shows while it finds out the rest.
Result<viewer::Run> load_run(const std::string& path, const ViewArguments& arguments) {
  if (is_report_document(path))
    return bad_input(
        "a report's document holds no events to show: give the trace that it was made of");
  recover_run(path);
  ProgressBar bar("reading " + path, stderr_is_terminal());
  Result<Trace> trace = load(path, bar.callback());
  if (!trace) return trace.error();
  if (stderr_is_terminal()) {
    const double lanes = kBytesAnEvent * static_cast<double>(trace->event_count());
    say("{} events: {:.0f} MB, and up to {:.0f} MB for their lanes\n", trace->event_count(),
        static_cast<double>(trace->memory_bytes()) / 1e6, lanes / 1e6);
  }
  const viewer::RunOptions wanted{.step_marker = arguments.read.step_marker,
                                  .phase = arguments.read.phase,
                                  .rank = arguments.read.rank,
                                  .pid = arguments.read.pid,
                                  .section = arguments.read.section};
  if (!arguments.screenshot.empty()) return viewer::analyse(std::move(*trace), wanted);
  return viewer::glance(std::move(*trace), wanted);
}

int run_view(const ViewArguments& arguments) {
  if (const Status checked = check_read_options(arguments.read); !checked)
    return fail("view", "", checked.error());
  const auto options = view_options(arguments);
  if (!options) return fail("view", "", options.error());
  if (arguments.traces.size() > 2)
    return fail(
        "view", "",
        usage_error(fmt::format("one run or two, A and B; {} given", arguments.traces.size())));
  note_later_recordings("view", arguments.traces);
  viewer::Desk::Runs runs;
  for (const std::string& path : arguments.traces) {
    auto run = load_run(path, arguments);
    if (!run) return fail("view", path, run.error());
    runs.push_back(std::make_shared<const viewer::Run>(std::move(*run)));
  }
  const Status shown = show_in_viewer(runs, *options);
  if (!shown) return fail("view", "", shown.error());
  if (!arguments.screenshot.empty()) say("stepscope: wrote {}\n", arguments.screenshot);
  return kExitPass;
}

#else

int run_view(const ViewArguments& arguments) {
  return fail(
      "view", "",
      {ErrorCode::unsupported,
       fmt::format("the timeline is not in this build: the wheel and the .deb have it, and "
                   "-DSTEPSCOPE_WITH_VIEWER=ON builds it; without it, 'stepscope report {0} "
                   "--format html -o run.html' writes a page with a bar of every step, "
                   "and 'stepscope export {0} --to perfetto -o run.pftrace' serves "
                   "ui.perfetto.dev",
                   shell_word(arguments.traces.front()))});
}

#endif

}  // namespace

void add_view_verb(CLI::App& app, int& status) {
  auto arguments = std::make_shared<ViewArguments>();
  CLI::App* verb =
      app.add_subcommand("view", "The timeline of a run or of two, in a window or as a picture");
  verb->add_option(
          "TRACE", arguments->traces,
          "One run, or two (A, then B) beside each other: .scope folders, PyTorch profiler "
          "files or SQLite exports of Nsight Systems")
      ->required();
  const auto option = [verb](const char* names, std::string& value, const char* about,
                             const char* type) {
    return verb->add_option(names, value, about)->type_name(type);
  };
  option("-o,--screenshot", arguments->screenshot, "write a picture instead of opening a window",
         "FILE.png")
      ->check(CLI::Validator(why_no_picture_name, "", "PNG"));
  option("--size", arguments->size, "of window or picture, in pixels", "WxH");
  option("--range", arguments->range, "what to show, since the trace's begin: 10ms:25ms", "A:B");
  option("--theme", arguments->theme, "light or dark; the default is dark", "THEME")
      ->check(one_of({"light", "dark"}));
  verb->add_option("--scale", arguments->scale,
                   "of text and rows; by default the display's, or the picture's height over 1080")
      ->check(finite() & CLI::Range(0.5, 6.0))
      ->type_name("X");
  option("--tab", arguments->tab, "table to open: 'What to do', Kernels, Difference, ...", "NAME");
  option("--search", arguments->search, "lights the events of that name", "TEXT");
  verb->add_flag("--anyway", arguments->anyway,
                 "show the difference of runs that are not comparable");
  add_reading_options(*verb, arguments->read);
  add_process_options(*verb, arguments->read);
  verb->add_option("--close-after-frames", arguments->frames, "close the window, for tests")
      ->group("");
  verb->footer(kViewExamples);
  verb->callback([arguments, &status] { status = run_view(*arguments); });
}

}  // namespace stepscope
