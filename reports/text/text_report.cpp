// SPDX-License-Identifier: Apache-2.0
#include "reports/text/text_report.hpp"

#include "reports/text/sections.hpp"

namespace stepscope {

namespace text_sections {

Page make_page(const Summary& summary, const Style& style) {
  return {scale_of(summary), style};
}

}  // namespace text_sections

std::string text_report(const Summary& summary, const Style& style) {
  using namespace text_sections;
  const Page page = make_page(summary, style);
  std::string out;
  for (const auto section :
       {broken, headline, verdict, partition, ranks, findings, devices, phases, lines, kernels,
        host_ops, transfers, health, sections, long_steps, steps, trust}) {
    const std::string text = section(page);
    if (!out.empty() && !text.empty()) out += "\n";
    out += text;
  }
  return out;
}

}  // namespace stepscope
