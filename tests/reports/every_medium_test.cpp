// SPDX-License-Identifier: Apache-2.0
// Every table of every sample in every medium: each row that a medium shows stands there with the
// numbers of the value, in the order of its columns, and the exact totals of all rows stand in the
// rows that coding agents get. The viewer's part is in tests/viewer/view/table_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

#include "core/report/documents.hpp"
#include "core/report/report.hpp"
#include "reports/html/html_pages.hpp"
#include "reports/json/json_rows.hpp"
#include "reports/markdown/markdown_pages.hpp"
#include "reports/text/text_pages.hpp"
#include "tests/reports/sample_comparisons.hpp"
#include "tests/reports/sample_summaries.hpp"

namespace stepscope {
namespace {

using report::Kind;

std::vector<Summary> all_samples() {
  std::vector<Summary> out;
  for (const auto& make :
       {samples::gpu, samples::cpu, samples::inflated, samples::one_step, samples::whole_trace,
        samples::two_devices, samples::ranks, samples::job, samples::two_loops,
        samples::with_host_ops, samples::with_findings, samples::broken, samples::empty})
    out.push_back(make());
  return out;
}

std::vector<report::Table> tables_of(const Summary& summary) {
  report::Tables all = report::report_tables(scale_of(summary));
  std::vector<report::Table> out;
  for (auto* some : {&all.ledger, &all.details, &all.loops})
    for (report::Table& table : *some) out.push_back(std::move(table));
  return out;
}

std::vector<std::string> numbers_of(const report::Table& table, const report::Row& row,
                                    bool with_exact) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Kind kind = table.columns[i].kind;
    if (!report::is_number(kind) || (kind == Kind::exact && !with_exact)) continue;
    const std::string text = report::number_text(table, kind, row.cells[i]);
    if (!text.empty()) out.push_back(text);
  }
  return out;
}

// Rows of a medium, each as its cells.
using Lines = std::vector<std::vector<std::string>>;

std::vector<std::string> split(const std::string& line, const std::string& by) {
  std::vector<std::string> out;
  std::size_t begin = 0;
  for (std::size_t at = 0; (at = line.find(by, begin)) != std::string::npos; begin = at + by.size())
    out.push_back(line.substr(begin, at - begin));
  out.push_back(line.substr(begin));
  for (std::string& cell : out) {
    cell.erase(0, cell.find_first_not_of(" *"));
    cell.erase(cell.find_last_not_of(" *") + 1);
  }
  return out;
}

Lines lines_split(const std::string& text, const std::string& by) {
  Lines out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(split(line, by));
  return out;
}

// Returns the rows of a page and its unfolding lines as a reader sees them.
Lines rows_of_page(std::string page) {
  for (const auto& [entity, character] :
       {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"</td>", "\t"}, {"</span>", "\t"}})
    for (std::size_t at = 0; (at = page.find(entity, at)) != std::string::npos;)
      page.replace(at, std::string(entity).size(), character);
  Lines out;
  std::istringstream in(page);
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> cells = split(line, "\t");
    for (std::string& cell : cells) {
      const std::size_t tag = cell.rfind("\">");
      if (tag != std::string::npos) cell.erase(0, tag + 2);
    }
    out.push_back(std::move(cells));
  }
  return out;
}

// Whether the numbers stand in one line, in their order. A page says the unit with a line's time.
bool holds(const Lines& lines, const std::vector<std::string>& numbers) {
  return std::any_of(lines.begin(), lines.end(), [&](const std::vector<std::string>& cells) {
    std::size_t at = 0;
    for (const std::string& cell : cells)
      if (at < numbers.size() && (cell == numbers[at] || cell.starts_with(numbers[at] + " "))) ++at;
    return at == numbers.size();
  });
}

void expect_rows(const Lines& lines, const report::Table& table, const report::Shown& shown,
                 bool with_exact, const std::string& medium) {
  for (const report::Row* row : shown.rows) {
    const std::vector<std::string> numbers = numbers_of(table, *row, with_exact);
    EXPECT_TRUE(holds(lines, numbers))
        << medium << ", " << table.id << ": " << testing::PrintToString(numbers);
  }
}

TEST(EveryMedium, ShowsTheNumbersOfEveryTable) {
  for (const Summary& summary : all_samples()) {
    const Lines text = lines_split(text_report(summary, {}), "  ");
    const Lines markdown = lines_split(markdown_report({summary}), "|");
    const Lines page = rows_of_page(html_report({summary}, {.with_source = false}));
    for (const report::Table& table : tables_of(summary)) {
      if (table.rows.empty()) continue;
      SCOPED_TRACE(summary.run.path);
      const bool exact = table.columns[0].kind != Kind::place;
      expect_rows(text, table, report::rows_of_screen(table, 3), false, "text");
      expect_rows(markdown, table, report::first_rows(table, 12), exact, "markdown");
      expect_rows(page, table, report::first_rows(table, 40), exact, "html");
      if (table.sum) {
        EXPECT_TRUE(holds(markdown, numbers_of(table, *table.sum, true))) << table.id;
        EXPECT_TRUE(holds(page, numbers_of(table, *table.sum, true))) << table.id;
      }
    }
  }
}

// What a medium shows, without line ends, indentation, escapes and tags.
std::string plain_words(std::string text) {
  for (const auto& [escape, character] : {std::pair{"&lt;", "<"},
                                          {"&gt;", ">"},
                                          {"&quot;", "\""},
                                          {"&#39;", "'"},
                                          {"&amp;", "&"},
                                          {"@<!-- -->", "@"},
                                          {"\u00a0", " "}})
    for (std::size_t at = 0; (at = text.find(escape, at)) != std::string::npos;)
      text.replace(at, std::string(escape).size(), character);
  std::string out;
  bool in_tag = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<' && i + 1 < text.size() && (text[i + 1] == '/' || std::isalpha(text[i + 1])))
      in_tag = true;
    if (in_tag) {
      in_tag = text[i] != '>';
    } else if (std::isalnum(static_cast<unsigned char>(text[i])) != 0) {
      out += text[i];
    }
  }
  return out;
}

std::vector<std::string> sentences_of(const report::Report& report) {
  std::vector<std::string> out = {std::string(report.label.text)};
  out.insert(out.end(), report.long_steps.begin(), report.long_steps.end());
  for (const auto* notes : {&report.alerts, &report.verdict, &report.steps, &report.trust})
    for (const report::Note& note : *notes)
      if (note.weight == report::Weight::usual) out.push_back(note.text);
  for (const TrustFact& fact : report.facts) out.push_back(fact.text);
  if (report.devices.size() == 1)
    out.insert(out.end(), report.devices[0].sentences.begin(), report.devices[0].sentences.end());
  return out;
}

std::vector<std::string> words_of_findings(const report::FindingsText& all) {
  std::vector<std::string> out = {all.caution, all.no_forecast};
  out.insert(out.end(), all.no_gain.begin(), all.no_gain.end());
  for (const report::FindingText& finding : all.found)
    for (const std::string& words : {finding.machine, finding.machine.empty() ? finding.gain : "",
                                     finding.machine.empty() ? finding.title : "", finding.shows_as,
                                     finding.todo, finding.code})
      out.push_back(words);
  for (const ReasonText& reason : all.not_judged) out.push_back(reason.reason);
  return out;
}

TEST(EveryMedium, SaysEverySentenceAndFinding) {
  for (const Summary& summary : all_samples()) {
    SCOPED_TRACE(summary.run.path);
    const report::Report report = report::report_of(summary);
    std::vector<std::string> said = sentences_of(report);
    if (report.findings) {
      const std::vector<std::string> found = words_of_findings(*report.findings);
      said.insert(said.end(), found.begin(), found.end());
    }
    const std::pair<const char*, std::string> media[] = {
        {"text", plain_words(text_report(summary, {}))},
        {"markdown", plain_words(markdown_report({summary}))},
        {"html", plain_words(html_report({summary}, {.with_source = false}))}};
    for (const auto& [medium, shown] : media)
      for (const std::string& sentence : said)
        EXPECT_NE(shown.find(plain_words(sentence)), std::string::npos)
            << medium << ": " << sentence;
  }
}

TEST(EveryMedium, ShowsTheNumbersOfEveryTableOfADifference) {
  for (const Comparison& comparison : {samples::faster(), samples::several_runs()}) {
    const Lines text = lines_split(text_diff(comparison, {}), "  ");
    const Lines markdown = lines_split(markdown_diff(comparison), "|");
    const Lines page = rows_of_page(html_diff(comparison));
    const report::DiffReport diff = report::diff_report(comparison);
    std::vector<report::Table> tables = diff.sides;
    tables.push_back(diff.parts);
    EXPECT_EQ(tables.size(), 4U);
    for (const report::Table& table : tables) {
      expect_rows(text, table, report::rows_of_screen(table, 3), false, "text");
      expect_rows(markdown, table, report::first_rows(table, 12), true, "markdown");
      expect_rows(page, table, report::first_rows(table, 40), true, "html");
    }
  }
}

TEST(EveryMedium, SaysEverySentenceAndCountOfADifference) {
  for (const Comparison& comparison : {samples::faster(), samples::several_runs()}) {
    const report::DiffReport diff = report::diff_report(comparison);
    std::vector<std::string> said = {diff.sentence, diff.range, diff.a, diff.b};
    said.insert(said.end(), diff.warnings.begin(), diff.warnings.end());
    for (const report::Note& note : diff.replaced) said.push_back(note.text);
    for (const report::Row* row : report::rows_of_screen(diff.counts, 100).rows)
      for (const report::Cell& cell : row->cells)
        said.push_back(std::get<report::Words>(cell).text);
    const std::pair<const char*, std::string> media[] = {
        {"text", plain_words(text_diff(comparison, {}))},
        {"markdown", plain_words(markdown_diff(comparison))},
        {"html", plain_words(html_diff(comparison))}};
    for (const auto& [medium, shown] : media)
      for (const std::string& sentence : said)
        EXPECT_NE(shown.find(plain_words(sentence)), std::string::npos)
            << medium << ": " << sentence;
  }
}

TEST(EveryMedium, EveryTableIsInSomeSample) {
  std::set<std::string> seen;
  for (const Summary& summary : all_samples())
    for (const report::Table& table : tables_of(summary))
      if (!table.rows.empty()) seen.insert(table.id);
  for (const report::Table& table : tables_of(samples::gpu())) EXPECT_TRUE(seen.contains(table.id));
}

TEST(EveryMedium, RowsHaveACellAColumnAndSumUp) {
  for (const Summary& summary : all_samples()) {
    for (const report::Table& table : tables_of(summary)) {
      std::int64_t sum = 0;
      for (const report::Row& row : table.rows) {
        ASSERT_EQ(row.cells.size(), table.columns.size()) << table.id;
        if (row.depth == 0) sum += report::total_of(table, row);
      }
      if (table.sum && !table.rows.empty()) {
        EXPECT_EQ(sum, report::total_of(table, *table.sum))
            << table.id << " of " << summary.run.path;
      }
      for (const std::size_t most : {0U, 1U, 2U}) {
        const report::Shown shown = report::rows_of_screen(table, most);
        std::int64_t whole = shown.rest ? report::total_of(table, *shown.rest) : 0;
        for (const report::Row* row : shown.rows)
          if (row->depth == 0) whole += report::total_of(table, *row);
        EXPECT_EQ(whole, sum) << table.id << ": what is left out is summed";
      }
    }
  }
}

TEST(EveryMedium, RowsForAgentsHoldTheExactTotals) {
  for (const Summary& summary : all_samples()) {
    for (const report::Table& table : tables_of(summary)) {
      for (const report::Row& row : table.rows) {
        const json_rows::Json json = json_rows::row(table, row);
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
          const auto* amount = std::get_if<report::Amount>(&row.cells[i]);
          if (amount == nullptr || table.columns[i].kind == Kind::share) continue;
          EXPECT_EQ(json.at(table.columns[i].key + "_total"), amount->total) << table.id;
        }
      }
    }
  }
}

}  // namespace
}  // namespace stepscope
