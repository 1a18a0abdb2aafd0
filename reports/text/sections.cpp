// SPDX-License-Identifier: Apache-2.0
// The sentences around the tables: the first lines (what ran, how long a step takes, and who limits
// it), the devices' health, how the steps were found, and how far to trust the numbers.
#include "reports/text/sections.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace stepscope::text_sections {
namespace {

constexpr std::size_t kMostDevices = 3;
constexpr std::string_view kDevice = "Device  ", kIndent = "        ";

std::string paragraph(const Page& page, const report::DeviceText& device) {
  std::string out;
  for (const std::string& sentence : device.sentences)
    out +=
        wrapped(out.empty() ? kDevice : kIndent, sentence, page.style, colour_of_note(device.tone));
  return out;
}

std::string fact_lines(const Page& page) {
  std::vector<std::string> facts;
  for (const TrustFact& fact : page.report.facts) {
    if (!facts.empty()) facts.back() += ",";
    facts.push_back(fact.good ? fact.text : page.style.paint(Colour::yellow, fact.text + " (!)"));
  }
  return wrapped_facts("Trust   ", facts, page.style, Colour::plain);
}

std::string note_lines(const std::vector<report::Note>& notes, std::string_view title,
                       const Style& style) {
  std::string out;
  std::size_t hidden = 0;
  for (const report::Note& note : notes) {
    if (note.weight == report::Weight::minor)
      ++hidden;
    else
      out += wrapped(out.empty() ? title : kIndent, note.with_items(), style,
                     colour_of_note(note.tone));
  }
  if (hidden > 0) out += fmt::format("{}{} more notes in --format json\n", kIndent, hidden);
  return out;
}

}  // namespace

std::string broken(const Page& page) {
  std::string out;
  for (const report::Note& note : page.report.alerts) {
    std::string label = note.label.empty() ? std::string(6, ' ') : note.label;
    for (char& c : label) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    out += wrapped(label + "  ", note.text, page.style, colour_of_note(note.tone));
  }
  return out;
}

std::string headline(const Page& page) {
  std::string out;
  for (const auto* facts : {&page.report.ran, &page.report.where}) {
    const std::string line = fmt::format("{}", fmt::join(*facts, page.style.dot()));
    out += page.style.paint(Colour::dim, page.style.cut_end(line, kColumns)) + "\n";
  }
  return out;
}

std::string verdict(const Page& page) {
  const VerdictLabel& label = page.report.label;
  std::string out =
      page.style.paint(Colour::bold, page.style.paint(colour_of(label.tone), label.text));
  if (!page.report.step_time.empty()) out += "  ";
  out = wrapped_facts(out, page.report.step_time, page.style, Colour::bold);
  for (const report::Note& note : page.report.verdict)
    out += wrapped("  ", note.text, page.style, colour_of_note(note.tone));
  return out;
}

// One device takes a paragraph; of several, those with the lowest clocks a line each.
std::string health(const Page& page) {
  std::vector<report::DeviceText> devices = page.report.devices;
  if (devices.empty()) return "";
  if (devices.size() == 1) return paragraph(page, devices.front());
  std::stable_sort(devices.begin(), devices.end(),
                   [](const auto& a, const auto& b) { return a.clock_mhz < b.clock_mhz; });
  std::string out;
  for (std::size_t i = 0; i < std::min(kMostDevices, devices.size()); ++i) {
    const std::string line = page.style.cut_end(devices[i].line, kColumns - kDevice.size());
    out += std::string(i == 0 ? kDevice : kIndent) +
           page.style.paint(colour_of_note(devices[i].tone), line) + "\n";
  }
  if (devices.size() > kMostDevices)
    out += fmt::format("{}{} more in --format json\n", kIndent, devices.size() - kMostDevices);
  return out;
}

std::string long_steps(const Page& page) {
  std::string out;
  for (const std::string& sentence : page.report.long_steps)
    out +=
        wrapped(out.empty() ? "Long steps  " : "            ", sentence, page.style, Colour::plain);
  return out;
}

std::string steps(const Page& page) {
  return note_lines(page.report.steps, "Steps   ", page.style);
}

std::string trust(const Page& page) {
  return fact_lines(page) + note_lines(page.report.trust, kIndent, page.style);
}

}  // namespace stepscope::text_sections

namespace stepscope {

Colour colour_of(Cause cause) {
  switch (family_of(cause)) {
    case CauseFamily::device_compute:
      return Colour::green;
    case CauseFamily::communication:
      return Colour::magenta;
    case CauseFamily::copy:
      return Colour::cyan;
    case CauseFamily::issued:
      return Colour::yellow;
    case CauseFamily::unexplained:
      return Colour::dim;
    default:
      return Colour::red;
  }
}

Colour colour_of(Tone tone) {
  switch (tone) {
    case Tone::good:
      return Colour::green;
    case Tone::bad:
      return Colour::red;
    case Tone::caution:
      return Colour::yellow;
    case Tone::neutral:
      break;
  }
  return Colour::blue;
}

Colour colour_of_change(double difference) {
  if (difference == 0) return Colour::plain;
  return difference < 0 ? Colour::green : Colour::red;
}

Colour colour_of_note(Tone tone) {
  return tone == Tone::neutral ? Colour::plain : colour_of(tone);
}

}  // namespace stepscope
