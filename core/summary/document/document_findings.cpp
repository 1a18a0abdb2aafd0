// SPDX-License-Identifier: Apache-2.0
#include "core/summary/document/document_findings.hpp"

#include <fmt/format.h>

namespace stepscope {
namespace {

FindingPlace read_place(const Field& field) {
  FindingPlace out;
  out.file = field.at("file").text();
  out.line = field.at("line").small_count();
  out.kind = field.text_or("line_kind") == "function" ? SiteKind::function : SiteKind::call;
  out.function = field.text_or("function");
  if (const auto caused = field.find("caused_ns_per_step"))
    out.caused_ns_per_step = caused->number();
  return out;
}

EvidenceEvent read_event(const Field& field) {
  EvidenceEvent out{field.at("id").text(), field.at("name").text(), field.at("ns").integer(), {}};
  if (const auto step = field.find("step")) out.step = step->integer();
  return out;
}

Forecast read_forecast(const Field& field) {
  Forecast out;
  out.ns_per_step = field.at("ns_per_step").number();
  out.low_ns_per_step = field.at("low").number();
  out.high_ns_per_step = field.at("high").number();
  if (const auto ceiling = field.find("ceiling_ns_per_step"))
    out.ceiling_ns_per_step = ceiling->number();
  if (const auto all = field.find("assumptions"))
    all->for_each([&](const Field& one) { out.assumptions.push_back(one.text()); });
  return out;
}

template <class Value>
Value read_word(const Field& field, std::optional<Value> (*named)(std::string_view)) {
  const std::optional<Value> value = named(field.text());
  if (!value) field.fail(fmt::format("'{}' is no word that this version knows", field.text()));
  return *value;
}

Finding read_finding(const Field& field) {
  Finding out;
  out.id = field.at("id").text();
  out.severity = read_word(field.at("severity"), severity_named);
  out.title = field.text_or("title");
  out.phase = field.text_or("phase");
  if (const auto places = field.find("places"))
    places->for_each([&](const Field& place) { out.places.push_back(read_place(place)); });
  out.count_per_step = field.at("count_per_step").number();
  out.caused_ns_per_step = field.at("caused_ns_per_step").number();
  out.ceiling_ns_per_step = field.at("ceiling_ns_per_step").number();
  if (const auto share = field.find("share")) out.share = share->number();
  if (const auto rate = field.find("link_rate")) out.link_rate = rate->number();
  out.shows_as = field.text_or("shows_as");
  if (const auto forecast = field.find("forecast")) out.forecast = read_forecast(*forecast);
  out.fix = field.text_or("fix");
  out.code_hint = field.text_or("code_hint");
  out.falsified_by = field.text_or("falsified_by");
  out.no_gain = field.text_or("no_gain");
  out.certainty = read_word(field.at("certainty"), certainty_named);
  if (const auto events = field.find("evidence"))
    events->for_each([&](const Field& event) { out.evidence.push_back(event.text()); });
  if (const auto events = field.find("events"))
    events->for_each([&](const Field& event) { out.events.push_back(read_event(event)); });
  return out;
}

// The same list names causes that were not recorded: "gpu" and ids with a dot.
bool is_cause_id(const std::string& id) {
  return id == "gpu" || id.find('.') != std::string::npos;
}

std::vector<NotFound> read_reasons(const Field& document, const char* name) {
  std::vector<NotFound> out;
  if (const auto list = document.find(name)) {
    list->for_each([&](const Field& one) {
      const std::string id = one.at("id").text();
      if (!is_cause_id(id)) out.push_back({id, one.text_or("reason")});
    });
  }
  return out;
}

}  // namespace

std::optional<Findings> read_findings(const Field& document) {
  Findings out;
  if (const auto list = document.find("findings"))
    list->for_each([&](const Field& one) { out.found.push_back(read_finding(one)); });
  if (const auto list = document.find("no_gain"))
    list->for_each([&](const Field& one) { out.no_gain.push_back(read_finding(one)); });
  out.cleared = read_reasons(document, "cleared");
  out.abstained = read_reasons(document, "abstained");
  out.caution = document.text_or("findings_caution");
  out.no_forecast = document.text_or("no_forecast");
  if (out.found.empty() && out.no_gain.empty() && out.cleared.empty() && out.abstained.empty())
    return std::nullopt;
  return out;
}

}  // namespace stepscope
