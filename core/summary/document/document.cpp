// SPDX-License-Identifier: Apache-2.0
#include "core/summary/document/document.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "core/summary/document/document_field.hpp"
#include "core/summary/document/document_findings.hpp"
#include "core/summary/document/document_job.hpp"
#include "core/summary/document/document_partition.hpp"
#include "core/summary/document/document_rows.hpp"
#include "core/summary/document/document_run.hpp"
#include "core/summary/document/document_steps.hpp"

namespace stepscope {
namespace {

constexpr std::string_view kSchema = "stepscope.report/1";

void check_schema(const Field& document) {
  const std::string schema = document.at("schema").text();
  if (schema == kSchema) return;
  document.at("schema").fail(
      schema.starts_with("stepscope.reports/")
          ? fmt::format("'{}' holds several reports: give one document a run", schema)
          : fmt::format("'{}', but this version reads '{}'", schema, kSchema));
}

Summary read_summary(const Field& document) {
  Summary out;
  out.run = read_run(document.at("run"));
  out.partition = read_partition(document.at("partition"));
  if (const auto job = document.find("job")) out.job = read_job(*job);
  read_steps(document.at("steps"), out);
  if (const auto devices = document.find("devices"))
    devices->for_each([&](const Field& d) { out.devices.push_back(read_partition(d)); });
  document.at("phases").for_each([&](const Field& p) { out.phases.push_back(read_phase(p)); });
  const std::vector<std::string> operations = read_operations(document);
  read_cells(document, operations, out);
  if (const auto counts = document.find("counts"))
    counts->for_each([&](const Field& c) { out.counts.push_back(read_count(c, operations)); });
  if (const auto sources = document.find("sources"))
    sources->for_each([&](const Field& source) { out.sources.push_back(read_source(source)); });
  if (const auto kernels = document.find("kernels"))
    kernels->for_each([&](const Field& k) {
      out.kernels.push_back(read_kernel(k, out.partition.steps_counted));
    });
  if (const auto health = document.find("device_health"))
    health->for_each([&](const Field& d) { out.device_health.push_back(read_health(d)); });
  read_trust(document, out.trust);
  out.findings = read_findings(document);
  return out;
}

}  // namespace

bool looks_like_report_document(std::string_view begin_of_text) {
  const auto brace = begin_of_text.find_first_not_of(" \t\r\n");
  if (brace == std::string_view::npos || begin_of_text[brace] != '{') return false;
  const auto key = begin_of_text.find("\"schema\"");
  if (key == std::string_view::npos) return false;
  const auto value = begin_of_text.find_first_not_of(" \t\r\n:", key + 8);
  return value != std::string_view::npos && begin_of_text.substr(value).starts_with("\"stepscope.");
}

Result<Summary> parse_report_document(std::string_view text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded()) return bad_input("is not sound JSON: was it cut off?");
  try {
    const Field document(json);
    try {
      check_schema(document);
    } catch (const FieldError& error) {
      return Error{ErrorCode::unsupported, error.what()};
    }
    return read_summary(document);
  } catch (const FieldError& error) {
    return bad_input(error.what());
  }
}

Result<Summary> read_report_document(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return io_error("cannot open " + path.string());
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) return io_error("cannot read " + path.string());
  Result<Summary> summary = parse_report_document(text);
  if (!summary) return Error{summary.error().code, path.string() + ": " + summary.error().message};
  if (summary->run.path.empty()) summary->run.path = path.string();
  return summary;
}

}  // namespace stepscope
