// SPDX-License-Identifier: Apache-2.0
#include "reports/html/cells.hpp"

#include <fmt/format.h>

#include "core/attribution/cause.hpp"

namespace stepscope::html {
namespace {

// Nothing is loaded from anywhere, whatever a name in a trace says.
constexpr const char* kPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'";

// Horizontal stripes: they look the same however far a picture is stretched sideways.
Markup pattern_of(CauseFamily family) {
  const std::string name(name_of(family));
  const Markup ground =
      empty_element("rect", {{"width", "4"}, {"height", "12"}, {"class", "g-" + name}});
  const Markup stripes =
      empty_element("path", {{"class", "stripes s-" + name}, {"d", "M0 2h4M0 5h4M0 8h4M0 11h4"}});
  return element(
      "pattern",
      {{"id", "p-" + name}, {"width", "4"}, {"height", "12"}, {"patternUnits", "userSpaceOnUse"}},
      ground + stripes);
}

Markup patterns() {
  Markup all;
  for (const CauseFamily family : kCauseFamilies) all += pattern_of(family);
  return element("svg",
                 {{"width", "0"}, {"height", "0"}, {"class", "defs"}, {"aria-hidden", "true"}},
                 element("defs", all));
}

Markup head(std::string_view title) {
  return Markup("<meta charset=\"utf-8\">\n") +
         Markup("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n") +
         Markup("<meta name=\"color-scheme\" content=\"light dark\">\n") +
         Markup("<link rel=\"icon\" href=\"data:,\">\n") +
         Markup::trusted(fmt::format(
             "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n", kPolicy)) +
         element("title", text(title)) + Markup("\n") +
         element("style", Markup::trusted(std::string(kPageStyle))) + Markup("\n");
}

Markup theme_switch() {
  return element(
      "button",
      {{"id", "theme"}, {"type", "button"}, {"hidden", "hidden"}, {"title", "Light or dark"}},
      Markup("Theme"));
}

}  // namespace

std::string page(std::string_view title, const Markup& content) {
  const Markup body = patterns() + theme_switch() + Markup("\n") + content +
                      element("script", Markup::trusted(std::string(kPageScript)));
  const Markup document =
      element("html", {{"lang", "en"}}, element("head", head(title)) + element("body", body));
  return "<!DOCTYPE html>\n" + document.str() + "\n";
}

}  // namespace stepscope::html
