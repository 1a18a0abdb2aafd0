// SPDX-License-Identifier: Apache-2.0
#include "collectors/launcher/profile.hpp"

#include <signal.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "core/support/duration.hpp"

namespace stepscope {
namespace {

std::optional<std::uint32_t> whole_number(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Result<std::string> amount(const char* option, const std::string& text) {
  if (text.empty()) return text;
  if (const auto steps = whole_number(text)) {
    if (*steps > 0) return text;
  } else if (const Result<std::int64_t> time = parse_duration(text)) {
    if (*time >= 1'000'000) return std::to_string(*time / 1'000'000) + "ms";
  }
  return usage_error(std::string(option) + " " + text +
                     " is neither a number of steps, like 200, nor a time of at least a "
                     "millisecond, like 30s");
}

// Steps before the first window, in which nothing was recorded yet: the reference for what stays on
// a step while nothing is (core/summary/trust/overhead.hpp).
constexpr const char* kUntouchedSteps = "20";

Result<std::string> window(const std::string& text) {
  if (text.empty()) return text;
  const std::size_t slash = text.find('/');
  if (slash != std::string::npos) {
    const auto on = whole_number(std::string_view(text).substr(0, slash));
    const auto off = whole_number(std::string_view(text).substr(slash + 1));
    constexpr std::uint32_t kFewest = 3;  // the first and the last of a window are not judged
    if (on && off && *on >= kFewest && *off >= kFewest) return text;
  }
  return usage_error("--window " + text + " is not ON/OFF in steps, 3 at least each, like 20/20");
}

// Whether a program may use the signal: it neither ends a program, reports a fault, nor is
// impossible to catch.
bool is_free(int number) {
  constexpr int kTaken[] = {SIGKILL, SIGSTOP, SIGSEGV, SIGBUS, SIGILL,  SIGFPE, SIGABRT,
                            SIGTRAP, SIGSYS,  SIGCHLD, SIGINT, SIGTERM, SIGQUIT};
  return std::find(std::begin(kTaken), std::end(kTaken), number) == std::end(kTaken);
}

struct NamedSignal {
  std::string_view name;
  int number;
};

// glibc's sigabbrev_np came with 2.32, and stepscope runs on older ones.
constexpr NamedSignal kSignals[] = {
    {"HUP", SIGHUP},   {"INT", SIGINT},       {"QUIT", SIGQUIT},   {"ILL", SIGILL},
    {"TRAP", SIGTRAP}, {"ABRT", SIGABRT},     {"BUS", SIGBUS},     {"FPE", SIGFPE},
    {"KILL", SIGKILL}, {"USR1", SIGUSR1},     {"SEGV", SIGSEGV},   {"USR2", SIGUSR2},
    {"PIPE", SIGPIPE}, {"ALRM", SIGALRM},     {"TERM", SIGTERM},   {"CHLD", SIGCHLD},
    {"CONT", SIGCONT}, {"STOP", SIGSTOP},     {"TSTP", SIGTSTP},   {"TTIN", SIGTTIN},
    {"TTOU", SIGTTOU}, {"URG", SIGURG},       {"XCPU", SIGXCPU},   {"XFSZ", SIGXFSZ},
    {"PROF", SIGPROF}, {"VTALRM", SIGVTALRM}, {"WINCH", SIGWINCH}, {"IO", SIGIO},
    {"PWR", SIGPWR},   {"SYS", SIGSYS}};

Result<std::string> number_of_signal(const std::string& text) {
  const std::string name = text.starts_with("SIG") ? text.substr(3) : text;
  for (const NamedSignal& known : kSignals) {
    if (name == known.name) return std::to_string(known.number);
  }
  const auto number = whole_number(name);
  if (number && *number > 0 && *number < NSIG) return name;
  return usage_error("--capture-signal " + text + " is no signal, like USR2");
}

Result<std::string> signal_number(const std::string& text) {
  if (text.empty()) return text;
  Result<std::string> number = number_of_signal(text);
  if (!number || is_free(std::stoi(*number))) return number;
  return usage_error("--capture-signal " + text + " has a meaning of its own; take USR1 or USR2");
}

}  // namespace

Result<CaptureOptions> check_capture(const CaptureOptions& given) {
  CaptureOptions options = given;
  if (!given.range.empty() && !given.signal.empty())
    return usage_error("--capture-range and --capture-signal exclude each other: give one");
  if (!given.start_after.empty() && !(given.range + given.signal).empty())
    return usage_error("--start-after has no meaning beside --capture-range or --capture-signal");
  Result<std::string> after = amount("--start-after", given.start_after);
  if (!after) return after.error();
  Result<std::string> steps = amount("--steps", given.steps);
  if (!steps) return steps.error();
  Result<std::string> windows = window(given.window);
  if (!windows) return windows.error();
  Result<std::string> signal = signal_number(given.signal);
  if (!signal) return signal.error();
  options.start_after = *after;
  if (after->empty() && !windows->empty() && (given.range + given.signal).empty())
    options.start_after = kUntouchedSteps;
  options.steps = *steps;
  options.window = *windows;
  options.signal = *signal;
  return options;
}

}  // namespace stepscope
