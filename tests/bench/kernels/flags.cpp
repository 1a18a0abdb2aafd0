// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/kernels/flags.hpp"

#include <benchmark/benchmark.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

namespace stepscope::kernels {
namespace {

constexpr const char* kFooter = R"(
A benchmark is named CASE/WAY/iterations:N/manual_time: a repetition is an
iteration, and its time is the device's. Exit status: 0; 1 after a wrong answer
or a failed call; 2 for a flag, case or filter that names nothing; 77 where
there is no GPU.

Google Benchmark's flags: --benchmark_filter=REGEX chooses by name,
--benchmark_list_tests lists names, --benchmark_out=FILE writes JSON, and
--benchmark_min_time changes nothing beside --repetitions. All of them:
)";

constexpr const char* kSeeHelp = " (--help lists the flags)";

std::string lines_of(const std::vector<std::string>& names) {
  std::string lines;
  for (const std::string& name : names) lines += "\n  " + name;
  return lines;
}

int usage_error(const std::string& message) {
  std::cerr << message << "\n";
  return 2;
}

// Returns the exit status if there are flags that Google Benchmark does not know either.
std::optional<int> read_google_flags(const char* program, std::vector<std::string> words) {
  static std::string name;  // Google Benchmark keeps a pointer to it
  name = program;
  std::vector<char*> argv{name.data()};
  for (std::string& word : words) argv.push_back(word.data());
  auto argc = static_cast<int>(argv.size());
  benchmark::Initialize(&argc, argv.data());
  if (argc > 1) return usage_error(std::string("unknown flag: ") + argv[1] + kSeeHelp);
  return std::nullopt;
}

}  // namespace

std::optional<int> read_flags(int argc, const char* const* argv, const BenchHelp& help,
                              BenchFlags* flags) {
  CLI::App app(help.about);
  app.allow_extras();
  app.footer("Cases:" + lines_of(help.cases) + "\n" + kFooter);
  app.add_option("--repetitions", flags->repetitions, "Times that each way is timed")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--case", flags->only, "Of all cases this one alone, by its exact name");
  app.add_flag("--once", flags->once,
               "Each way once, judged and not timed: for tests and under profilers");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help() << std::flush;
    benchmark::PrintDefaultHelp();
    return 0;
  } catch (const CLI::ParseError& error) {
    return usage_error(error.what() + std::string(kSeeHelp));
  }
  if (std::none_of(help.cases.begin(), help.cases.end(),
                   [&](const std::string& name) { return flags->wants(name); }))
    return usage_error("--case: '" + flags->only + "' is none of" + lines_of(help.cases));
  return read_google_flags(argv[0], app.remaining());
}

}  // namespace stepscope::kernels
