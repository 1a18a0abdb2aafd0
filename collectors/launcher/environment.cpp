// SPDX-License-Identifier: Apache-2.0
#include "collectors/launcher/environment.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>

namespace stepscope::launcher {
namespace {

constexpr const char* kLibrary = "libstepscope_inject.so";

// Whether the library is this stepscope's, or that of another one whose run is around this one: the
// inner run takes over, because two in one process would record it twice.
bool is_stepscope(std::string_view library) {
  return library.substr(library.rfind('/') + 1) == kLibrary;
}

void set_or_name_rival(Environment& environment, const char* variable, const std::string& library,
                       std::vector<std::string>& rivals) {
  std::string& value = environment[variable];
  if (value.empty() || value == library || is_stepscope(value)) {
    value = library;
  } else {
    rivals.push_back(fmt::format("{}={}", variable, value));
  }
}

void set_where_given(Environment& environment, const char* variable, const std::string& value) {
  if (!value.empty()) environment[variable] = value;
}

// An outer `stepscope profile` has left its own options; what the user sets for tuning stays.
void remove_outer_options(Environment& environment) {
  if (!environment.contains("STEPSCOPE_OUTPUT")) return;
  for (const char* variable :
       {"STEPSCOPE_OPS", "STEPSCOPE_NATIVE_LINES", "STEPSCOPE_GRAPHS", "STEPSCOPE_PM_US",
        "STEPSCOPE_ONLY", "STEPSCOPE_LINES_IN", "STEPSCOPE_RIVAL", "STEPSCOPE_START_AFTER",
        "STEPSCOPE_STEPS", "STEPSCOPE_WINDOW", "STEPSCOPE_CAPTURE_RANGE",
        "STEPSCOPE_CAPTURE_SIGNAL"})
    environment.erase(variable);
  const auto sampling = environment.find("STEPSCOPE_SAMPLE_US");
  if (sampling != environment.end() && sampling->second == "0") environment.erase(sampling);
}

// The user's stay in front; ours is there once, or not at all. The loader separates at colons and
// spaces alike.
void set_preload(Environment& environment, const Injection& injection) {
  std::string libraries, before = environment["LD_PRELOAD"];
  std::replace(before.begin(), before.end(), ' ', ':');
  std::istringstream known(before);
  for (std::string library; std::getline(known, library, ':');) {
    if (!library.empty() && library != injection.shared_object && !is_stepscope(library))
      libraries += (libraries.empty() ? "" : ":") + library;
  }
  if (injection.preload) libraries += (libraries.empty() ? "" : ":") + injection.shared_object;
  environment["LD_PRELOAD"] = libraries;
  if (libraries.empty()) environment.erase("LD_PRELOAD");
}

// The command may start programs built with AddressSanitizer, which refuses to run behind another
// library unless this option is set.
void allow_sanitizers_behind(Environment& environment) {
  std::string& options = environment["ASAN_OPTIONS"];
  if (options.find("verify_asan_link_order") != std::string::npos) return;
  options += (options.empty() ? "" : ":") + std::string("verify_asan_link_order=0");
}

void set_capture(Environment& environment, const CaptureOptions& capture) {
  set_where_given(environment, "STEPSCOPE_START_AFTER", capture.start_after);
  set_where_given(environment, "STEPSCOPE_STEPS", capture.steps);
  set_where_given(environment, "STEPSCOPE_WINDOW", capture.window);
  set_where_given(environment, "STEPSCOPE_CAPTURE_RANGE", capture.range);
  set_where_given(environment, "STEPSCOPE_CAPTURE_SIGNAL", capture.signal);
}

}  // namespace

Environment current_environment() {
  Environment environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos) environment[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return environment;
}

std::string find_inject_library() {
  std::error_code error;
  if (const char* given = std::getenv("STEPSCOPE_INJECT_LIBRARY")) {
    const auto path = std::filesystem::absolute(given, error);
    return std::filesystem::exists(path, error) ? path.string() : std::string();
  }
  const auto here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* folder : {".", "../lib", "../lib/stepscope", "../collectors/inject"}) {
    const auto path = std::filesystem::weakly_canonical(here / folder / kLibrary, error);
    if (!error && std::filesystem::exists(path, error)) return path.string();
  }
  return {};
}

std::vector<std::string> add_injection(Environment& environment, const Injection& injection,
                                       const ProfileOptions& options) {
  std::vector<std::string> rivals;
  remove_outer_options(environment);
  set_or_name_rival(environment, "CUDA_INJECTION64_PATH", injection.shared_object, rivals);
  set_or_name_rival(environment, "NVTX_INJECTION64_PATH", injection.shared_object, rivals);
  set_preload(environment, injection);
  if (injection.preload) allow_sanitizers_behind(environment);
  environment["STEPSCOPE_OUTPUT"] = injection.folder;
  environment["STEPSCOPE_LEVEL"] = options.level;
  if (options.ops) environment.insert_or_assign("STEPSCOPE_OPS", std::string(1, '1'));
  if (options.native_lines) environment["STEPSCOPE_NATIVE_LINES"] = "1";
  if (!options.sampling) environment.insert_or_assign("STEPSCOPE_SAMPLE_US", std::string(1, '0'));
  if (options.pm_sampling) environment["STEPSCOPE_PM_US"] = "1000";
  set_where_given(environment, "STEPSCOPE_GRAPHS", options.graphs);
  set_where_given(environment, "STEPSCOPE_ONLY", options.only);
  set_where_given(environment, "STEPSCOPE_LINES_IN", options.lines_in);
  set_capture(environment, options.capture);
  if (!rivals.empty()) environment["STEPSCOPE_RIVAL"] = rivals.front();
  return rivals;
}

}  // namespace stepscope::launcher
