// SPDX-License-Identifier: Apache-2.0
#include "tests/support/text_case.hpp"

#include <algorithm>
#include <fstream>
#include <numeric>
#include <sstream>
#include <stdexcept>

namespace stepscope::testing {
namespace {

std::optional<Cause> cause_named(std::string_view name) {
  for (std::size_t i = 0; i < kCauseCount; ++i) {
    if (name_of(static_cast<Cause>(i)) == name) return static_cast<Cause>(i);
  }
  return std::nullopt;
}

std::optional<std::uint32_t> number_option(const TextLine& line, const std::string& key) {
  if (!line.has(key)) return std::nullopt;
  return static_cast<std::uint32_t>(parse_count(line.option(key)));
}

ExpectedParts& parts_for(std::vector<ExpectedParts>& all, const TextLine& line) {
  const auto step = number_option(line, "step");
  const auto device = number_option(line, "device");
  for (ExpectedParts& parts : all) {
    if (parts.step == step && parts.device == device) return parts;
  }
  return all.emplace_back(ExpectedParts{.step = step, .device = device});
}

// Facts whose value is a time are stored as printed, so that 5us and 5000ns compare equal.
bool is_time(std::string_view what) {
  return what == "phase" || what == "path" || what == "site" || what == "queued_idle" ||
         what == "queued_busy" || what == "latency" || what == "begin" || what == "end";
}

ExpectedFact read_fact(const TextLine& line) {
  ExpectedFact fact{.what = line.words[1]};
  std::string value = line.words.back();
  if (is_time(fact.what)) value = print_time(parse_time(value));
  for (std::size_t i = 2; i + 1 < line.words.size(); ++i) {
    fact.name += (i > 2 ? " " : "") + line.words[i];
  }
  fact.value = value;
  return fact;
}

void read_expectation(TextCase& out, const TextLine& line) {
  if (line.words.size() < 3)
    throw std::invalid_argument("expect CAUSE TIME, or expect WHAT NAME VALUE");
  const std::optional<Cause> cause = cause_named(line.words[1]);
  if (!cause) {
    out.facts.push_back(read_fact(line));
    return;
  }
  parts_for(out.parts, line).ns[index_of(*cause)] += parse_time(line.words[2]);
}

struct Repeat {
  TextLine head;
  std::vector<TextLine> body;
};

void add_event(TextTrace& trace, const TextLine& line) {
  if (!trace.add(line)) throw std::invalid_argument("unknown event '" + line.words[0] + "'");
}

// repeat 1000 host=2 device=5 ... end: the lines 1000 times, each time later by that much.
void unroll(TextTrace& trace, const Repeat& repeat) {
  const std::uint64_t count = parse_count(repeat.head.words.at(1));
  const std::int64_t host = parse_time(repeat.head.option("host", "0"));
  const std::int64_t device = parse_time(repeat.head.option("device", "0"));
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::int64_t>(i);
    trace.shift(at * host, at * device, static_cast<std::uint32_t>(i * 1000));
    for (const TextLine& line : repeat.body) add_event(trace, line);
  }
  trace.shift(0, 0, 0);
}

void read_line(TextCase& out, TextTrace& trace, std::optional<Repeat>& repeat,
               const TextLine& line) {
  const std::string& first = line.words[0];
  if (first == "repeat") {
    repeat = Repeat{.head = line};
  } else if (first == "end" && repeat) {
    unroll(trace, *repeat);
    repeat.reset();
  } else if (repeat) {
    repeat->body.push_back(line);
  } else if (first == "expect") {
    read_expectation(out, line);
  } else {
    add_event(trace, line);
  }
}

// A case whose parts do not fill the wall time that it states itself cannot be right.
std::string check_sums(const TextCase& read) {
  if (!read.steps) return "";
  for (const ExpectedParts& parts : read.parts) {
    std::int64_t wall = 0;
    for (std::uint32_t i = 0; i < read.steps->list.size(); ++i) {
      if (!parts.step || *parts.step == i) wall += read.steps->list[i].wall_ns();
    }
    const std::int64_t sum = std::accumulate(parts.ns.begin(), parts.ns.end(), std::int64_t{0});
    if (sum != wall) {
      return "the expected parts sum to " + print_time(sum) + " us of " + print_time(wall) +
             " us wall";
    }
  }
  return "";
}

}  // namespace

Result<TextCase> parse_case(std::string name, std::string_view text) {
  TextCase out{.name = std::move(name), .trace = Trace::build({})};
  TextTrace trace;
  std::optional<Repeat> repeat;
  int number = 0;
  std::istringstream lines{std::string(text)};
  for (std::string content; std::getline(lines, content);) {
    const TextLine line = parse_line(content, ++number);
    try {
      if (!line.empty()) read_line(out, trace, repeat, line);
    } catch (const std::exception& error) {
      return bad_input(out.name + ":" + std::to_string(number) + ": " + error.what());
    }
  }
  if (repeat) return bad_input(out.name + ": repeat without end");
  out.trace = trace.build();
  if (trace.has_steps()) out.steps = trace.steps();
  if (out.parts.empty() && out.facts.empty()) return bad_input(out.name + ": expects nothing");
  const std::string wrong_sum = check_sums(out);
  if (!wrong_sum.empty()) return bad_input(out.name + ": " + wrong_sum);
  return out;
}

Result<TextCase> read_case(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) return io_error("cannot read " + path.string());
  std::ostringstream text;
  text << file.rdbuf();
  return parse_case(path.stem().string(), text.str());
}

std::vector<std::filesystem::path> list_cases(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".case") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace stepscope::testing
