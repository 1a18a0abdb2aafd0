// SPDX-License-Identifier: Apache-2.0
// run.json of a NAME.scope folder: what the launcher knows of the run (layout: FORMAT.md).
#include "core/store/reader/reader_parts.hpp"

#include <simdjson.h>

#include <string>

namespace stepscope::store {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

constexpr std::string_view kSchema = "stepscope.run/1";

std::string text_of(element value) {
  if (value.is_string()) return std::string(std::string_view(value));
  return simdjson::minify(value);  // numbers, true, lists as they are written
}

void add_fact(std::string_view key, const std::string& value, TraceData& data) {
  for (Process& process : data.processes) process.facts.try_emplace(std::string(key), value);
}

// Words with blanks in them are quoted, as a shell wants them.
std::string command_line(simdjson::dom::array words) {
  std::string out;
  for (element word : words) {
    const std::string text = text_of(word);
    const bool quote = text.empty() || text.find_first_of(" \t\n'\"") != std::string::npos;
    out += (out.empty() ? "" : " ") + (quote ? "'" + text + "'" : text);
  }
  return out;
}

void add_all(object run, TraceData& data) {
  for (const auto& [key, value] : run) {
    if (key == "schema") continue;
    if (key == "notes" && value.is_array()) {
      for (element note : value.get_array()) data.health.notes.push_back(text_of(note));
    } else if (key == "facts" && value.is_object()) {
      for (const auto& [name, fact] : object(value)) add_fact(name, text_of(fact), data);
    } else {
      add_fact(key, text_of(value), data);
      if (key == "command" && value.is_array())
        add_fact("run.command", command_line(value.get_array()), data);
      if (key == "machine" && value.is_object())
        for (const auto& [name, fact] : object(value))
          add_fact("machine." + std::string(name), text_of(fact), data);
    }
  }
}

}  // namespace

Status add_run_json(const std::filesystem::path& path, TraceData& data) {
  simdjson::dom::parser parser;
  element document;
  object run;
  if (const auto error = parser.load(path.string()).get(document)) {
    data.health.notes.push_back("run.json cannot be read (" +
                                std::string(simdjson::error_message(error)) +
                                "): the command and its environment are unknown");
    return Done{};
  }
  std::string_view schema;
  if (document.get(run) || run["schema"].get(schema) || !schema.starts_with("stepscope.run/")) {
    data.health.notes.push_back("run.json is not of schema " + std::string(kSchema) +
                                "; it was left out");
    return Done{};
  }
  if (schema != kSchema) {
    return Error{ErrorCode::unsupported, path.string() + " is of schema " + std::string(schema) +
                                             ", this build reads " + std::string(kSchema) +
                                             ": use the stepscope that wrote it, or a newer one"};
  }
  add_all(run, data);
  return Done{};
}

}  // namespace stepscope::store
