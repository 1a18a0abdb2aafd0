// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/slow_rank.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <utility>

#include "reference_trainers/common/trainer_options.hpp"

namespace stepscope::trainers {
namespace {

constexpr std::pair<const char*, SlowPart> kParts[] = {
    {"data", SlowPart::data}, {"compute", SlowPart::compute}, {"link", SlowPart::link}};

const char* name_of_part(SlowPart wished) {
  for (const auto& [name, part] : kParts)
    if (part == wished) return name;
  return "";
}

// Returns the problem; "" where the text is RANK:PART.
std::string read_slow_rank(const std::string& text, SlowRank& slow) {
  const std::size_t colon = text.find(':');
  const char* end = text.data() + std::min(colon, text.size());
  int rank = -1;
  const auto [rest, error] = std::from_chars(text.data(), end, rank);
  for (const auto& [name, part] : kParts) {
    if (error != std::errc() || rest != end || rank < 0 || colon == std::string::npos ||
        text.substr(colon + 1) != name)
      continue;
    slow.rank = rank;
    slow.part = part;
    return "";
  }
  return "'" + text + "' is not RANK:data, RANK:compute or RANK:link";
}

}  // namespace

void add_slow_rank(CLI::App& app, SlowRank& slow) {
  app.add_option_function<std::string>(
         "--slow-rank",
         [&slow](const std::string& text) {
           if (const std::string problem = read_slow_rank(text, slow); !problem.empty())
             throw CLI::ValidationError("--slow-rank", problem);
         },
         "Make one rank of several slow on purpose, to try reports of jobs: its batches (data), "
         "its "
         "forward pass (compute) or its transfers (link)")
      ->type_name("RANK:data|compute|link")
      ->default_str("");
  app.add_option("--slow-ms", slow.ms, "About how many milliseconds a step that costs it")
      ->check(above_zero());
}

Status check_slow_rank(const SlowRank& slow, int ranks) {
  if (slow.rank < 0) return Done{};
  if (ranks == 1)
    return usage_error("--slow-rank: one rank alone makes nobody wait; add --nproc 2");
  if (slow.rank < ranks) return Done{};
  return usage_error(fmt::format("--slow-rank {}: the ranks are 0 to {}", slow.rank, ranks - 1));
}

std::string about(const SlowRank& slow) {
  return fmt::format("{} on rank {}, {:g} ms a step", name_of_part(slow.part), slow.rank, slow.ms);
}

}  // namespace stepscope::trainers
