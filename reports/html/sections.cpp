// SPDX-License-Identifier: Apache-2.0
// The head of the page (what ran, how long a step takes, and who limits it), how each device was
// while the steps ran, and how far to trust the numbers.
#include "reports/html/sections.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/html/cells.hpp"

namespace stepscope::html {
namespace {

std::string badge_class(Tone tone) {
  switch (tone) {
    case Tone::good:
      return "badge good";
    case Tone::bad:
      return "badge bad";
    case Tone::caution:
      return "badge caution";
    case Tone::neutral:
      break;
  }
  return "badge neutral";
}

Markup facts(const std::vector<std::string>& parts) {
  return element("p", {{"class", "facts"}}, text(fmt::format("{}", fmt::join(parts, " · ")))) +
         Markup("\n");
}

Markup fact(const TrustFact& fact) {
  const Markup mark = element("b", text(!fact.measured ? "–" : fact.good ? "✓" : "!"));
  return element("li", {{"class", fact.good ? "good" : "caution"}},
                 mark + Markup(" ") + text(fact.text));
}

}  // namespace

Markup broken(const Report& report) {
  Markup out;
  for (const report::Note& one : report.alerts) out += note(one.tone, one.with_label());
  return out.empty() ? out : element("section", {{"class", "wide alerts"}}, out);
}

Markup verdict(const Report& report) {
  Markup head =
      element("span", {{"class", badge_class(report.label.tone)}}, text(report.label.text));
  head += Markup(" ") + prose(report.step_time_sentence);
  Markup out = element("h1", text(report.title())) + Markup("\n");
  out += facts(report.ran_under_title()) + facts(report.where);
  out += element("p", {{"class", "headline"}}, head) + Markup("\n");
  for (const report::Note& one : report.verdict) out += paragraph_of(one);
  return element("header", {{"class", "wide"}}, out) + Markup("\n");
}

Markup health(const Report& report) {
  Markup content;
  for (const report::DeviceText& device : report.devices) {
    content += element("h3", text(fmt::format("GPU {}", device.device)));
    for (const std::string& sentence : device.sentences)
      content +=
          device.tone == Tone::neutral ? element("p", text(sentence)) : note(device.tone, sentence);
  }
  return content.empty() ? content : section(report.id("health"), "Device health", content);
}

Markup trust(const Report& report) {
  Markup all;
  for (const TrustFact& one : report.facts) all += fact(one);
  Markup content = element("ul", {{"class", "factlist"}}, all);
  for (const report::Note& one : report.trust) content += paragraph_of(one);
  return section(report.id("trust"), "How far to trust this", content);
}

}  // namespace stepscope::html
