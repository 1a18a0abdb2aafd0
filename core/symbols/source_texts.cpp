// SPDX-License-Identifier: Apache-2.0
#include "core/symbols/source_texts.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace stepscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kSourcesSchema = "stepscope.sources/1";
constexpr off_t kLargestSource = 2 << 20;
constexpr std::string_view kForeignFolders[] = {"/usr/include/",
                                                "/usr/lib/gcc/",
                                                "/usr/local/include/",
                                                "/include/c++/",
                                                "/torch/include/",
                                                "/libtorch/include/",
                                                "/cuda/include/",
                                                "/targets/x86_64-linux/include/",
                                                "/site-packages/",
                                                "/dist-packages/",
                                                "/lib/python3.",
                                                "/sysdeps/",
                                                "/csu/"};
constexpr std::int64_t kNsPerSecond = 1'000'000'000;

bool is_as_it_was_loaded(const fs::path& path, std::int64_t loaded_ns) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) return false;
  const std::int64_t changed_ns =
      static_cast<std::int64_t>(facts.st_mtim.tv_sec) * kNsPerSecond + facts.st_mtim.tv_nsec;
  return facts.st_size <= kLargestSource && changed_ns <= loaded_ns;
}

SourceText read_source(const std::string& name, const fs::path& path,
                       const std::set<std::uint32_t>& wanted) {
  SourceText out{.file = name, .hashes = {}, .lines = {}};
  std::ifstream file(path, std::ios::binary);
  for (std::string line; std::getline(file, line);) {
    out.hashes.push_back(hash_of_line(line));
    const auto number = static_cast<std::uint32_t>(out.hashes.size());
    if (wanted.contains(number)) out.lines[number] = kept_text(line);
  }
  return out;
}

json json_of(const SourceText& source) {
  json lines = json::object();
  for (const auto& [number, text] : source.lines) lines[std::to_string(number)] = text;
  return {{"file", source.file},
          {"hashes", text_of_hashes(source.hashes)},
          {"lines", std::move(lines)}};
}

// Throws what the library throws on a document of another form.
Result<SourceTexts> sources_in(const json& document, const fs::path& path) {
  SourceTexts out;
  for (const json& file : document.at("files")) {
    SourceText& source = out.emplace_back();
    source.file = file.at("file").get<std::string>();
    if (!read_hashes(file.at("hashes").get<std::string>(), source.hashes))
      return bad_input(path.string() + " is damaged: the hashes of " + source.file +
                       " are no list of hashes");
    for (const auto& [key, text] : file.at("lines").items()) {
      std::uint32_t number = 0;
      const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), number);
      if (error == std::errc{} && end == key.data() + key.size())
        source.lines[number] = text.get<std::string>();
    }
  }
  return out;
}

}  // namespace

bool is_users_source(std::string_view file) {
  return std::none_of(
      std::begin(kForeignFolders), std::end(kForeignFolders),
      [&](std::string_view folder) { return file.find(folder) != std::string_view::npos; });
}

SourceTexts capture_sources(const std::map<std::string, WantedLines>& files,
                            const fs::path& folder) {
  SourceTexts out;
  for (const auto& [name, wanted] : files) {
    const fs::path path = folder / name;  // an absolute name stays as it is
    if (!is_users_source(name) || !is_as_it_was_loaded(path, wanted.loaded_ns)) continue;
    SourceText source = read_source(name, path, wanted.lines);
    if (!source.lines.empty()) out.push_back(std::move(source));
  }
  return out;
}

Status write_sources(const fs::path& path, const SourceTexts& sources) {
  json files = json::array();
  for (const SourceText& source : sources) files.push_back(json_of(source));
  std::ofstream file(path);
  file << json{{"schema", kSourcesSchema}, {"files", std::move(files)}}.dump(
              1, ' ', false, json::error_handler_t::replace)
       << '\n';
  file.flush();
  if (!file) return io_error("cannot write " + path.string());
  return Done{};
}

Result<SourceTexts> read_sources(const fs::path& path) {
  std::ifstream file(path);
  if (!file) return io_error("cannot read " + path.string());
  try {
    const json document = json::parse(file);
    if (document.at("schema") != kSourcesSchema)
      return bad_input(path.string() + " is no " + std::string(kSourcesSchema) + " document");
    return sources_in(document, path);
  } catch (const json::exception& error) {
    return bad_input(path.string() + " is damaged: " + error.what());
  }
}

SourceTexts sources_of_run(const fs::path& run) {
  std::error_code error;
  if (!fs::is_directory(run, error)) return {};
  Result<SourceTexts> sources = read_sources(run / kSourcesFile);
  return sources ? std::move(*sources) : SourceTexts{};
}

}  // namespace stepscope
