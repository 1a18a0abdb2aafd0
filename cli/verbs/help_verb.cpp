// SPDX-License-Identifier: Apache-2.0
// stepscope help [TOPIC]: the pages of the documentation, which are compiled in.
#include <fmt/format.h>

#include <memory>

#include "cli/output/failure.hpp"
#include "cli/verbs/pages.hpp"
#include "cli/verbs/verbs.hpp"
#include "core/support/words.hpp"

namespace stepscope {
namespace {

constexpr const char* kHelpExamples =
    "Examples:\n"
    "  stepscope help                 list the pages\n"
    "  stepscope help tutorial\n"
    "  stepscope help gate | less\n"
    "  stepscope help host_sync       a finding or a cause, as 'stepscope explain' prints it\n"
    "  stepscope help profile         the options of a verb that has no page of its name";

int list_topics() {
  for (const HelpPage& page : help_pages()) fmt::print("{:<20} {}\n", page.topic, title_of(page));
  fmt::print(
      "\n'stepscope help TOPIC' prints a page, 'stepscope VERB --help' the options of a verb, and\n"
      "'stepscope explain' lists what findings and causes mean.\n");
  return kExitPass;
}

const CLI::App* verb_of(const CLI::App& app, const std::string& name) {
  const auto every = [](const CLI::App*) { return true; };
  for (const CLI::App* verb : app.get_subcommands(every))
    if (verb->get_name() == name) return verb;
  return nullptr;
}

int fail_unknown_topic(const std::string& topic) {
  std::vector<std::string_view> topics;
  for (const HelpPage& page : help_pages()) topics.push_back(page.topic);
  const std::string_view near = nearest(topic, topics);
  const std::string hint = near.empty() ? "" : fmt::format("did you mean '{}'? ", near);
  return fail("help", "",
              usage_error(fmt::format("'{}' is no page and no verb; {}'stepscope help' lists the "
                                      "pages",
                                      topic, hint)));
}

int help(const CLI::App& app, const std::string& topic) {
  if (topic.empty()) return list_topics();
  if (const HelpPage* page = find_help_page(topic)) {
    fmt::print("{}", without_links(page->text));
  } else if (const auto text = explained(topic)) {
    fmt::print("{}", without_links(*text));
  } else if (const CLI::App* verb = verb_of(app, topic)) {
    fmt::print("{}", verb->help(app.get_name()));
  } else {
    return fail_unknown_topic(topic);
  }
  return kExitPass;
}

}  // namespace

void add_help_verb(CLI::App& app, int& status) {
  auto topic = std::make_shared<std::string>();
  CLI::App* verb = app.add_subcommand("help", "The pages of the documentation: help [TOPIC]");
  verb->add_option("TOPIC", *topic, "a page, a finding, a cause or a verb; without one: the list");
  verb->footer(kHelpExamples);
  verb->callback([&app, topic, &status] { status = help(app, *topic); });
}

}  // namespace stepscope
