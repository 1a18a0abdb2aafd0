// SPDX-License-Identifier: Apache-2.0
#include "core/ladder/trained_run.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "core/summary/document/document_field.hpp"

namespace stepscope {
namespace {

using RunJson = nlohmann::json;

std::optional<RunJson> document_in(std::string_view line, const char* schema) {
  if (!line.starts_with('{')) return std::nullopt;
  RunJson json = RunJson::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || json.value("schema", "") != schema) return std::nullopt;
  return json;
}

double positive(const Field& field) {
  const double number = field.number();
  if (!std::isfinite(number) || number <= 0) field.fail("must be above 0");
  return number;
}

TrainedRun read_run(const Field& run) {
  TrainedRun out;
  out.preset = run.text_or("preset");
  out.rung = run.at("rung").text();
  out.device = run.text_or("device");
  if (const auto rungs = run.find("rungs"))
    rungs->for_each([&](const Field& name) { out.rungs.push_back(name.text()); });
  out.tokens_per_s = positive(run.at("tokens_per_s"));
  out.ms_per_step = positive(run.at("ms_per_step"));
  out.tokens_a_step = run.at("tokens_a_step").integer();
  out.timed_steps = run.at("timed_steps").integer();
  if (const auto mfu = run.find("mfu")) out.mfu = mfu->number();
  if (const auto bytes = run.find("peak_bytes")) out.peak_bytes = bytes->integer();
  run.at("losses").for_each([&](const Field& loss) { out.losses.push_back(loss.number()); });
  return out;
}

}  // namespace

Result<TrainerFacts> parse_trainer_facts(std::string_view text) {
  const std::optional<RunJson> json = document_in(text, "stepscope.trainer/1");
  if (!json) return bad_input("the trainer's --list-switches is no document stepscope.trainer/1");
  try {
    const Field facts(*json);
    TrainerFacts out{facts.at("model").text(), {}};
    facts.at("rungs").for_each([&](const Field& rung) {
      out.rungs.push_back({rung.at("id").text(), rung.at("name").text(), rung.text_or("summary"),
                           rung.text_or("needs")});
    });
    return out;
  } catch (const FieldError& error) {
    return bad_input(error.what());
  }
}

Result<TrainedRun> parse_trained_run(std::string_view output) {
  while (!output.empty()) {
    const std::size_t end = output.find_last_not_of('\n');
    if (end == std::string_view::npos) break;
    output = output.substr(0, end + 1);
    const std::size_t before = output.rfind('\n');
    const std::string_view line = output.substr(before == std::string_view::npos ? 0 : before + 1);
    if (const std::optional<RunJson> json = document_in(line, "stepscope.train/1")) {
      try {
        return read_run(Field(*json));
      } catch (const FieldError& error) {
        return bad_input(error.what());
      }
    }
    output = output.substr(0, output.size() - line.size());
  }
  return bad_input("the trainer printed no document stepscope.train/1");
}

}  // namespace stepscope
