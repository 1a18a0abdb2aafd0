// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/kernels/table_reporter.hpp"

#include <cstdio>
#include <ostream>

namespace stepscope::kernels {
namespace {

template <class... Values>
void print_line(std::ostream& out, const char* format, Values... values) {
  char line[256];
  std::snprintf(line, sizeof line, format, values...);
  out << line << "\n";
}

bool is_of_copy(const benchmark::UserCounters& counters) {
  return counters.count("of_copy") != 0;
}

// The last column, empty where nothing was measured that the row could be held against.
std::string ratio_of(const benchmark::UserCounters& counters) {
  char text[32] = "";
  if (const auto copy = counters.find("of_copy"); copy != counters.end())
    std::snprintf(text, sizeof text, " %7.1f%%", 100 * copy->second.value);
  else if (const auto read = counters.find("to_read"); read != counters.end())
    std::snprintf(text, sizeof text, " %8.3f", read->second.value);
  return text;
}

}  // namespace

void TableReporter::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    const std::string& name = run.run_name.function_name;
    const std::size_t slash = name.find('/');
    begin_case(name.substr(0, slash));
    print(name.substr(slash + 1), run);
  }
  GetOutputStream() << std::flush;
}

void TableReporter::begin_case(const std::string& name) {
  if (name == case_) return;
  case_ = name;
  has_header_ = false;
  GetOutputStream() << "\n" << name << "\n";
  if (const auto note = notes_.find(name); note != notes_.end() && !note->second.empty())
    GetOutputStream() << note->second << "\n";
}

void TableReporter::print(const std::string& what, const Run& run) {
  std::ostream& out = GetOutputStream();
  const bool timed = run.counters.count("median_us") != 0;
  if (timed) print_header(run.counters);
  if (run.error_occurred) {
    out << what << ": " << run.error_message << "\n";
  } else if (run.run_type == Run::RT_Aggregate) {
    print_row(what + ", " + run.aggregate_name, run.counters);
  } else {
    if (!run.report_label.empty() || !timed)
      out << what << ": " << (run.report_label.empty() ? "ran" : run.report_label) << "\n";
    if (timed) print_row(what, run.counters);
  }
}

void TableReporter::print_header(const benchmark::UserCounters& counters) {
  if (has_header_) return;
  has_header_ = true;
  print_line(GetOutputStream(), "%-44s %10s %10s %10s %8s %8s %8s", "", "median us", "p99 us",
             "least us", "GB", "TB/s", is_of_copy(counters) ? "of copy" : "to read");
}

void TableReporter::print_row(const std::string& what, const benchmark::UserCounters& counters) {
  const auto value = [&](const char* name) { return counters.at(name).value; };
  print_line(GetOutputStream(), "%-44s %10.2f %10.2f %10.2f %8.3f %8.3f%s", what.c_str(),
             value("median_us"), value("p99_us"), value("least_us"), value("GB"), value("TB/s"),
             ratio_of(counters).c_str());
}

}  // namespace stepscope::kernels
