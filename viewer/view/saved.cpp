// SPDX-License-Identifier: Apache-2.0
#include "viewer/view/desk.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace stepscope::viewer {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* kPartial = ".part";  // then a dash and what no other process has

// FNV-1a: the same in every build, unlike std::hash.
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

std::string file_of(const Run& run, const std::string& folder) {
  std::error_code error;
  const std::string path = fs::weakly_canonical(run.trace.data().path, error).string();
  return fmt::format("{}/{}-{:016x}.json", folder, fs::path(path).filename().string(),
                     hash_of(path));
}

std::string settings_file(const std::string& folder) {
  return folder + "/settings.json";
}

// An object; empty where the file is not there or is no JSON.
Json read_object(const std::string& path) {
  std::ifstream file(path);
  if (!file) return Json::object();
  Json json = Json::parse(file, nullptr, false);
  return json.is_object() ? json : Json::object();
}

// Whole or not at all, and under a name of its own until then: another viewer may write the same.
bool write_object(const Json& json, const std::string& path) {
  std::string beside = path + kPartial + "-XXXXXX";
  const int made = mkstemp(beside.data());
  if (made < 0) return false;
  close(made);
  std::error_code error, ignored;
  std::ofstream file(beside, std::ios::trunc);
  file << json.dump(1, ' ', false, Json::error_handler_t::replace) << "\n";
  file.close();
  if (file) fs::rename(beside, path, error);
  if (file && !error) return true;
  fs::remove(beside, ignored);
  return false;
}

// Removes the files of viewers that were killed while they wrote.
void remove_left_over(const std::string& folder) {
  std::error_code error, ignored;
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(24);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const bool partial = entry.path().extension().string().starts_with(kPartial);
    if (partial && entry.last_write_time(error) < old && !error) fs::remove(entry, ignored);
  }
}

Json names_of(const Session& session, const std::vector<bool>& flags) {
  Json out = Json::array();
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (flags[i]) out.push_back(session.lanes()[i].name());
  }
  return out;
}

void set_flags(const Session& session, const Json& json, const char* key,
               std::vector<bool>& flags) {
  const auto names = json.find(key);
  if (names == json.end() || !names->is_array()) return;
  for (std::size_t i = 0; i < flags.size(); ++i)
    flags[i] = std::find(names->begin(), names->end(), session.lanes()[i].name()) != names->end();
}

void load_session(Session& session, const Json& json) {
  set_flags(session, json, "pinned", session.pinned);
  set_flags(session, json, "hidden", session.hidden);
  set_flags(session, json, "folded", session.collapsed);
  const auto marks = json.find("marks");
  if (marks == json.end() || !marks->is_array()) return;
  const std::int64_t zero = session.run().trace.begin();
  for (const Json& mark : *marks) {
    if (!mark.is_object() || !mark.contains("begin_ns") || !mark.contains("end_ns")) continue;
    if (!mark["begin_ns"].is_number_integer() || !mark["end_ns"].is_number_integer()) continue;
    const std::int64_t begin = mark["begin_ns"];
    const std::int64_t end = mark["end_ns"];
    const std::int64_t most = session.run().trace.end() - zero;
    if (begin < 0 || end < begin || end > most) continue;  // the mark is from another recording
    const bool named = mark.contains("text") && mark["text"].is_string();
    session.add_mark({{zero + begin, zero + end}, named ? mark["text"].get<std::string>() : ""});
  }
}

// Makes a session's JSON. In a run that was not analysed yet only the marks are new: it lacks lanes
// that flags are about.
Json session_json(const Session& session, Json before) {
  Json marks = Json::array();
  const std::int64_t zero = session.run().trace.begin();
  for (const Mark& mark : session.marks())
    marks.push_back({{"begin_ns", mark.time.begin - zero},
                     {"end_ns", mark.time.end - zero},
                     {"text", mark.text}});
  before["marks"] = marks;
  if (!session.run().is_analysed) return before;
  return {{"trace", session.run().trace.data().path},
          {"pinned", names_of(session, session.pinned)},
          {"hidden", names_of(session, session.hidden)},
          {"folded", names_of(session, session.collapsed)},
          {"marks", marks}};
}

bool save_session(const Session& session, const std::string& file) {
  return write_object(session_json(session, read_object(file)), file);
}

std::optional<float> size_in(const Json& settings, const char* key) {
  const auto size = settings.find(key);
  if (size == settings.end() || !size->is_number() || *size <= 0) return std::nullopt;
  return size->get<float>();
}

}  // namespace

std::string state_folder() {
  const char* const state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && state[0] == '/') return std::string(state) + "/stepscope/view";
  const char* const home = std::getenv("HOME");
  if (home == nullptr || home[0] == '\0') return "";
  return std::string(home) + "/.local/state/stepscope/view";
}

void load_saved(Desk& desk, const std::string& folder) {
  if (folder.empty()) return;
  const Json settings = read_object(settings_file(folder));
  if (settings.contains("light") && settings["light"].is_boolean()) desk.light = settings["light"];
  if (settings.contains("text_scale") && settings["text_scale"].is_number())
    desk.text_scale = std::clamp(settings["text_scale"].get<float>(), 0.7F, 2.0F);
  desk.panels = {size_in(settings, "details_width"), size_in(settings, "tables_height")};
  for (std::size_t i = 0; i < desk.sides(); ++i)
    load_session(desk.side(i), read_object(file_of(desk.run(i), folder)));
}

bool save(const Desk& desk, const std::string& folder) {
  if (folder.empty()) return false;
  std::error_code error;
  fs::create_directories(folder, error);
  remove_left_over(folder);
  Json settings = {{"light", desk.light}, {"text_scale", desk.text_scale}};
  if (desk.panels.details_width) settings["details_width"] = *desk.panels.details_width;
  if (desk.panels.tables_height) settings["tables_height"] = *desk.panels.tables_height;
  bool all = write_object(settings, settings_file(folder));
  for (std::size_t i = 0; i < desk.sides(); ++i)
    all = save_session(desk.side(i), file_of(desk.run(i), folder)) && all;
  return all;
}

}  // namespace stepscope::viewer
