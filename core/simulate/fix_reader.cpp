// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/fix_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "core/simulate/edits/edit.hpp"
#include "core/simulate/fix_text.hpp"
#include "core/support/words.hpp"

namespace stepscope {
namespace {

constexpr std::size_t kMostListed = 8;

Error wrong_fix(std::string_view text, std::string what) {
  return usage_error(fmt::format("--fix '{}': {}", text, std::move(what)));
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& all) {
  const std::string_view near = nearest(word, all);
  return near.empty() ? "" : fmt::format("did you mean '{}'? ", near);
}

template <class Number>
bool read_number(std::string_view text, Number& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

std::string kinds() {
  std::string out;
  for (const EditRow& row : all_edits()) out += (out.empty() ? "" : ", ") + std::string(row.name);
  return out;
}

class FixReader {
 public:
  FixReader(std::string_view text, const Trace& trace, const Attribution& attribution)
      : text_(text), trace_(trace), attribution_(attribution) {}

  Result<Fix> read() {
    std::string_view rest = text_;
    while (take_option(rest)) {
      if (!problem_.empty()) return wrong_fix(text_, problem_);
    }
    const std::size_t at = rest.find('@');
    const std::string_view name = rest.substr(0, at);
    const auto kind = fix_named(name);
    if (!kind) {
      std::vector<std::string_view> names;
      for (const EditRow& row : all_edits()) names.push_back(row.name);
      return wrong_fix(
          text_, fmt::format("'{}' is no fix and no finding of this run; {}there are {}", name,
                             did_you_mean(name, names), kinds()));
    }
    fix_.kind = *kind;
    for (std::size_t from = at; from != std::string_view::npos;) {
      const std::size_t next = rest.find('@', from + 1);
      read_place(rest.substr(from + 1, next - from - 1));
      if (!problem_.empty()) return wrong_fix(text_, problem_);
      from = next;
    }
    check();
    return problem_.empty() ? Result<Fix>(fix_) : wrong_fix(text_, problem_);
  }

 private:
  // The last ":name=value"; the place before it may hold colons of its own.
  bool take_option(std::string_view& rest) {
    const std::size_t colon = rest.rfind(':');
    if (colon == std::string_view::npos) return false;
    const std::string_view option = rest.substr(colon + 1);
    const std::size_t equals = option.find('=');
    if (equals == std::string_view::npos || option.find('@') != std::string_view::npos)
      return false;
    const std::string_view name = option.substr(0, equals);
    const std::string_view value = option.substr(equals + 1);
    rest = rest.substr(0, colon);
    if (name == "every") {
      if (!read_number(value, fix_.every) || fix_.every < 2)
        problem_ = fmt::format("every={}: a whole number from 2 on is needed", value);
      return true;
    }
    if (name == "workers") {
      if (!read_number(value, fix_.workers) || fix_.workers < 1 || fix_.workers > 1024)
        problem_ = fmt::format("workers={}: a whole number from 1 on is needed", value);
      return true;
    }
    double number = 0;
    if (!read_number(value, number) || !(number >= 0) || number > 1e6)
      problem_ = fmt::format("{}={}: a number from 0 on is needed", name, value);
    if (name == "factor") {
      fix_.factor = number;
      has_factor_ = true;
    } else if (name == "low") {
      low_ = number;
    } else if (name == "high") {
      high_ = number;
    } else {
      problem_ = fmt::format(
          "'{}' is no option of a fix; there are factor, low, high, every and workers", name);
    }
    return true;
  }

  void read_place(std::string_view place) {
    if (place.starts_with("phase=")) return read_phase(place.substr(6));
    if (place.starts_with("cause=")) return read_cause(place.substr(6));
    if (place.starts_with("direction=")) return read_direction(place.substr(10));
    const std::size_t colon = place.rfind(':');
    std::uint32_t line = 0;
    if (colon == std::string_view::npos || !read_number(place.substr(colon + 1), line)) {
      problem_ = fmt::format(
          "'{}' is no place; write FILE:LINE, phase=NAME, cause=NAME or direction=NAME", place);
      return;
    }
    read_line(place.substr(0, colon), line);
  }

  void read_line(std::string_view file, std::uint32_t line) {
    std::set<std::uint32_t> others;
    const auto& sites = trace_.data().sites;
    for (SiteId site = 0; site < sites.size(); ++site) {
      if (!ends_with_path(trace_.text(sites[site].file), file)) continue;
      if (sites[site].line == line) {
        fix_.scope.sites.push_back(site);
      } else {
        others.insert(sites[site].line);
      }
    }
    if (!fix_.scope.sites.empty()) return;
    std::string there;
    for (const std::uint32_t other : others) {
      if (std::distance(others.begin(), others.find(other)) >= static_cast<int>(kMostListed)) {
        there += ", ...";
        break;
      }
      there += (there.empty() ? "" : ", ") + std::to_string(other);
    }
    problem_ = there.empty()
                   ? fmt::format(
                         "no recorded event is in a file '{}'; 'stepscope report' lists "
                         "lines that cost time",
                         file)
                   : fmt::format("no recorded event is at line {} of {}; recorded lines are {}",
                                 line, file, there);
  }

  void read_phase(std::string_view name) {
    std::vector<std::string> paths;
    for (PhaseId phase = 1; phase < attribution_.phases.size(); ++phase) {
      paths.push_back(phase_path(attribution_.phases, phase));
      if (ends_with_path(paths.back(), name)) fix_.scope.phases.push_back(phase);
    }
    if (!fix_.scope.phases.empty()) return;
    problem_ = fmt::format("no phase is called '{}'; {}", name,
                           did_you_mean(name, {paths.begin(), paths.end()}));
    std::string there;
    for (std::size_t i = 0; i < paths.size() && i < kMostListed; ++i)
      there += (there.empty() ? "" : ", ") + paths[i];
    problem_ += there.empty() ? "this trace has no phases" : "there are " + there;
  }

  void read_cause(std::string_view name) {
    fix_.scope.cause = cause_named(name);
    if (fix_.scope.cause) return;
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < kCauseCount; ++i) names.push_back(name_of(static_cast<Cause>(i)));
    problem_ = fmt::format("'{}' is no cause; {}a report's first table names them", name,
                           did_you_mean(name, names));
  }

  void read_direction(std::string_view name) {
    for (const Direction direction : {Direction::backward, Direction::recompute})
      if (name == name_of(direction)) fix_.scope.direction = direction;
    if (!fix_.scope.direction)
      problem_ = fmt::format("'{}' is no direction; there are backward and recompute", name);
  }

  void check() {
    const bool anywhere = fix_.scope.sites.empty() && fix_.scope.phases.empty() &&
                          !fix_.scope.cause && !fix_.scope.direction;
    const bool repeats = fix_.kind == FixKind::less_often || fix_.kind == FixKind::batch_repeats;
    const bool needs_place = repeats || fix_.kind == FixKind::drop_work ||
                             fix_.kind == FixKind::hoist_invariant ||
                             fix_.kind == FixKind::fuse_work || fix_.kind == FixKind::scale_work;
    if (needs_place && anywhere) {
      problem_ = fmt::format(
          "{} needs a place: @FILE:LINE, @phase=NAME, @cause=NAME or "
          "@direction=NAME",
          name_of(fix_.kind));
    } else if ((fix_.kind == FixKind::scale_work || fix_.kind == FixKind::fuse_work) &&
               !has_factor_) {
      problem_ =
          fmt::format("{} needs :factor=F, the share of its time that stays", name_of(fix_.kind));
    } else if (repeats && fix_.every < 2) {
      problem_ = fmt::format("{} needs :every=N", name_of(fix_.kind));
    }
    fix_.factor_low = low_ < 0 ? fix_.factor : low_;
    fix_.factor_high = high_ < 0 ? fix_.factor : high_;
  }

  std::string_view text_;
  const Trace& trace_;
  const Attribution& attribution_;
  Fix fix_;
  bool has_factor_ = false;
  double low_ = -1;
  double high_ = -1;
  std::string problem_;
};

}  // namespace

Result<Fix> parse_fix(std::string_view text, const Trace& trace, const Attribution& attribution) {
  return FixReader(text, trace, attribution).read();
}

// A "+" joins only where a fix follows: a path may hold one, too.
Result<std::vector<Fix>> parse_fixes(std::string_view text, const Trace& trace,
                                     const Attribution& attribution) {
  std::vector<Fix> out;
  const auto begins_fix = [&](std::size_t at) {
    const std::string_view rest = text.substr(at);
    return fix_named(rest.substr(0, rest.find_first_of("@:+"))).has_value();
  };
  for (std::size_t from = 0; from <= text.size();) {
    std::size_t plus = text.find('+', from);
    while (plus != std::string_view::npos && !begins_fix(plus + 1)) plus = text.find('+', plus + 1);
    const std::size_t end = std::min(plus, text.size());
    const Result<Fix> fix = parse_fix(text.substr(from, end - from), trace, attribution);
    if (!fix) return fix.error();
    out.push_back(*fix);
    from = end + 1;
    if (plus == std::string_view::npos) break;
  }
  return out;
}

}  // namespace stepscope
