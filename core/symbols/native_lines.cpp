// SPDX-License-Identifier: Apache-2.0
#include "core/symbols/native_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/symbols/source_texts.hpp"

namespace stepscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kNativeLinesSchema = "stepscope.native_lines/1";

bool is_users(const SourceFrame& frame) {
  return !frame.file.empty() && is_users_source(frame.file);
}

std::vector<SourceFrame> frames_of(const std::vector<NativePlace>& places,
                                   const NativeLines& lines) {
  std::vector<SourceFrame> out;
  for (const NativePlace& place : places) {
    if (const auto found = lines.find(place); found != lines.end())
      out.insert(out.end(), found->second.begin(), found->second.end());
  }
  return out;
}

const SourceFrame* frame_to_show(const std::vector<SourceFrame>& frames) {
  const auto users = std::find_if(frames.begin(), frames.end(), is_users);
  if (users != frames.end()) return &*users;
  const auto any = std::find_if(frames.begin(), frames.end(),
                                [](const SourceFrame& frame) { return !frame.file.empty(); });
  return any == frames.end() ? nullptr : &*any;
}

// Shortens a demangled name to what distinguishes functions at a glance: without parameters,
// template arguments and unnamed namespaces, "Trainer::step".
std::string short_name(std::string function) {
  constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  for (std::size_t at = 0; (at = function.find(kUnnamed)) != std::string::npos;)
    function.erase(at, kUnnamed.size());
  std::string out;
  int depth = 0;
  for (const char c : function) {
    if (c == '<') ++depth;
    if (c == '(' && depth == 0 && !out.empty()) break;
    if (depth == 0) out += c;
    if (c == '>') --depth;
  }
  return out;
}

void remove_sites(std::vector<SiteId>& column, const std::vector<bool>& without_line) {
  for (SiteId& site : column) {
    if (site != kNone && without_line[site]) site = kNone;
  }
}

void note_missing(const std::set<std::string>& files, TraceData& data) {
  for (const std::string& file : files) {
    data.health.notes.push_back(
        fmt::format("{} has places without a source line: build it with -g (and do not strip it), "
                    "then record again",
                    file));
  }
}

std::map<std::string, std::vector<std::uint64_t>> addresses_by_file(const TraceData& data) {
  std::map<std::string, std::set<std::uint64_t>> sets;
  for (const Site& site : data.sites) {
    for (const NativePlace& place : native_places(data.strings.view(site.function)))
      sets[place.file].insert(place.address);
  }
  std::map<std::string, std::vector<std::uint64_t>> out;
  for (const auto& [file, set] : sets) out[file].assign(set.begin(), set.end());
  return out;
}

json json_of(const NativePlace& place, const std::vector<SourceFrame>& frames) {
  json list = json::array();
  for (const SourceFrame& frame : frames)
    list.push_back({{"function", frame.function}, {"file", frame.file}, {"line", frame.line}});
  return {{"file", place.file}, {"address", place.address}, {"frames", std::move(list)}};
}

// Throws what the library throws on a document of another form.
NativeLines lines_of(const json& document) {
  NativeLines out;
  for (const json& place : document.at("places")) {
    std::vector<SourceFrame>& frames =
        out[{place.at("file").get<std::string>(), place.at("address").get<std::uint64_t>()}];
    for (const json& frame : place.at("frames"))
      frames.push_back({frame.at("function").get<std::string>(),
                        frame.at("file").get<std::string>(),
                        frame.at("line").get<std::uint32_t>()});
  }
  return out;
}

// A program that was built again since has other places.
bool is_newer_than_the_run(const fs::path& file, const fs::path& run) {
  std::error_code no_file, no_run;
  const auto built = fs::last_write_time(file, no_file), ran = fs::last_write_time(run, no_run);
  return !no_file && !no_run && built > ran;
}

Result<NativeLines> lines_for(const TraceData& data) {
  const fs::path folder = data.path;
  std::error_code error;
  if (fs::exists(folder / kNativeLinesFile, error))
    return read_native_lines(folder / kNativeLinesFile);
  for (const auto& [file, addresses] : addresses_by_file(data)) {
    if (is_newer_than_the_run(file, folder))
      return io_error(fmt::format("{} was built again since the run", file));
  }
  return find_native_lines(data);
}

}  // namespace

bool has_native_sites(const TraceData& data) {
  return std::any_of(data.sites.begin(), data.sites.end(), [&](const Site& site) {
    return !native_places(data.strings.view(site.function)).empty();
  });
}

Result<NativeLines> find_native_lines(const TraceData& data) {
  NativeLines out;
  Error first;
  for (const auto& [file, addresses] : addresses_by_file(data)) {
    Result<SourceFrames> frames = ask_addr2line(file, addresses);
    if (!frames && first.message.empty()) first = frames.error();
    if (!frames) continue;
    for (auto& [address, list] : *frames) out[{file, address}] = std::move(list);
  }
  if (out.empty() && !first.message.empty()) return first;
  return out;
}

Status write_native_lines(const fs::path& path, const NativeLines& lines) {
  json places = json::array();
  for (const auto& [place, frames] : lines) places.push_back(json_of(place, frames));
  std::ofstream file(path);
  file << json{{"schema", kNativeLinesSchema}, {"places", std::move(places)}}.dump(
              1, ' ', false, json::error_handler_t::replace)
       << '\n';
  file.flush();
  if (!file) return io_error("cannot write " + path.string());
  return Done{};
}

Result<NativeLines> read_native_lines(const fs::path& path) {
  std::ifstream file(path);
  if (!file) return io_error("cannot read " + path.string());
  try {
    const json document = json::parse(file);
    if (document.at("schema") != kNativeLinesSchema)
      return bad_input(path.string() + " is no " + std::string(kNativeLinesSchema) + " document");
    return lines_of(document);
  } catch (const json::exception& error) {
    return bad_input(path.string() + " is damaged: " + error.what());
  }
}

void apply_native_lines(TraceData& data, const NativeLines& lines) {
  std::vector<bool> without_line(data.sites.size(), false);
  std::set<std::string> files;
  for (std::size_t i = 0; i < data.sites.size(); ++i) {
    Site& site = data.sites[i];
    const std::vector<NativePlace> places = native_places(data.strings.view(site.function));
    if (places.empty()) continue;
    const std::vector<SourceFrame> frames = frames_of(places, lines);
    if (const SourceFrame* frame = frame_to_show(frames)) {
      site.file = data.strings.intern(frame->file);
      site.line = frame->line;
      site.function = data.strings.intern(short_name(frame->function));
    } else {
      without_line[i] = true;
      files.insert(places.front().file);
    }
  }
  remove_sites(data.host_ranges.site, without_line);
  remove_sites(data.graph_nodes.site, without_line);
  remove_sites(data.samples.site, without_line);
  remove_sites(data.loop_positions.caller, without_line);
  note_missing(files, data);
}

void add_native_lines(TraceData& data) {
  if (!has_native_sites(data)) return;
  Result<NativeLines> lines = lines_for(data);
  if (!lines)
    data.health.notes.push_back("no source lines of compiled code: " + lines.error().message);
  apply_native_lines(data, lines ? *lines : NativeLines{});
}

}  // namespace stepscope
