// SPDX-License-Identifier: Apache-2.0
// The completion scripts have every verb and option of the parser.
#include <gtest/gtest.h>

#include <sstream>

#include "cli/verbs/verbs.hpp"
#include "tests/cli/run_stepscope.hpp"

namespace stepscope {
namespace {

// The words that a script's line for a verb offers: 'gate run') offered='...' ;;
std::vector<std::string> offered(const std::string& script, const std::string& path) {
  const std::string begin = "'" + path + "') offered='";
  const std::size_t at = script.find(begin);
  if (at == std::string::npos) return {};
  const std::size_t from = at + begin.size();
  std::istringstream words(script.substr(from, script.find('\'', from) - from));
  return {std::istream_iterator<std::string>(words), std::istream_iterator<std::string>()};
}

void expect_offered(const CLI::App& verb, const std::string& path, const std::string& script) {
  const std::vector<std::string> words = offered(script, path);
  const auto has = [&](const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames())
      EXPECT_EQ(has("--" + name), !option->get_group().empty()) << path << " --" << name;
  }
  for (const CLI::App* below : verb.get_subcommands([](const CLI::App*) { return true; })) {
    EXPECT_TRUE(path.empty() || has(below->get_name())) << path << " " << below->get_name();
    expect_offered(*below, path.empty() ? below->get_name() : path + " " + below->get_name(),
                   script);
  }
}

TEST(Completion, HasEveryVerbAndOptionOfTheParser) {
  CLI::App app;
  int status = 0;
  add_verbs(app, status);
  for (const char* shell : {"bash", "zsh"}) {
    const std::string script = run_stepscope(std::string("completion ") + shell).out;
    for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
      expect_offered(*verb, verb->get_name(), script);
  }
}

TEST(Completion, OffersTheValuesThatAnOptionTakes) {
  const std::string script = run_stepscope("completion bash").out;
  EXPECT_NE(script.find("'report --format') values='text json html markdown sarif github' ;;"),
            std::string::npos);
  EXPECT_NE(script.find("'explain') offered='"), std::string::npos);
  const std::vector<std::string> ids = offered(script, "explain");
  EXPECT_NE(std::find(ids.begin(), ids.end(), "host_sync"), ids.end());
}

}  // namespace
}  // namespace stepscope
