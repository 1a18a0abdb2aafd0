// SPDX-License-Identifier: Apache-2.0
#include "cli/gate/baseline_store.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "cli/output/output.hpp"
#include "core/support/words.hpp"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

// A name is one folder's: no path, nothing hidden, no option.
Status check_name(const std::string& name) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == '+';
  };
  const bool sound = !name.empty() && name.size() <= 100 && name.front() != '.' &&
                     name.front() != '-' && std::all_of(name.begin(), name.end(), plain);
  if (sound) return Done{};
  return usage_error(fmt::format(
      "'{}' is no name of a baseline: letters, digits, '.', '-', '_' and '+', up to 100", name));
}

// "10.json" behind "9.json".
bool by_number(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

// Documents of a folder; hidden files are somebody else's.
std::vector<std::string> documents_in(const fs::path& folder) {
  std::vector<std::string> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".json") && name.front() != '.') out.push_back(entry.path().string());
  }
  std::sort(out.begin(), out.end(), by_number);
  return out;
}

Error failed(const fs::path& path, const char* what, const std::error_code& error) {
  return io_error(fmt::format("{}: {}: {}", path.string(), what, error.message()));
}

// An empty one that nobody else has, with the permissions of any other; hidden until it is whole.
Result<fs::path> new_folder_in(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return failed(folder, "cannot be made", error);
  std::string name = (folder / ".new.XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    return failed(folder, "cannot be written", {errno, std::generic_category()});
  fs::permissions(name, fs::status(folder, error).permissions(), error);
  return fs::path(name);
}

Status write_documents(const fs::path& folder, const std::vector<std::string>& documents) {
  for (std::size_t i = 0; i < documents.size(); ++i) {
    auto output = Output::open((folder / fmt::format("{}.json", i + 1)).string());
    Status written = output ? output->finish(documents[i]) : Status(output.error());
    if (!written) return written;
  }
  return Done{};
}

// Exchanges two folders. If the file system cannot, the old one stands aside until the new one is
// in its place, and comes back where that fails.
std::error_code exchange(const fs::path& made, const fs::path& place) {
  if (renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, place.c_str(), RENAME_EXCHANGE) == 0) return {};
  const fs::path aside = made.string() + ".old";
  std::error_code error, ignored;
  fs::rename(place, aside, error);
  if (error) return error;
  fs::rename(made, place, error);
  fs::rename(aside, error ? place : made, ignored);
  return error;
}

// Puts `made` in place; `made` then holds what was there before.
Status put_in_place(const fs::path& made, const fs::path& place) {
  std::error_code error;
  if (fs::exists(place, error)) {
    error = exchange(made, place);
  } else {
    fs::rename(made, place, error);
  }
  return error ? Status(failed(place, "cannot be replaced", error)) : Status(Done{});
}

Error no_run_or_baseline(const std::string& name, const BaselineStore& store) {
  return bad_input(fmt::format("{}: no file or folder, and no baseline of that name; {}", name,
                               store.names_text()));
}

bool is_trace_folder(const fs::path& path) {
  return path.extension() == ".scope" || fs::exists(path / "run.json");
}

}  // namespace

Result<std::vector<StoredBaseline>> BaselineStore::list() const {
  std::vector<StoredBaseline> out;
  std::error_code error;
  if (!fs::exists(folder_, error)) return out;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory() && check_name(name)) out.push_back({name, documents_in(entry.path())});
  }
  if (error) return failed(folder_, "cannot be read", error);
  std::sort(out.begin(), out.end(),
            [](const StoredBaseline& a, const StoredBaseline& b) { return a.name < b.name; });
  return out;
}

bool BaselineStore::has(const std::string& name) const {
  std::error_code error;
  return check_name(name).ok() && fs::is_directory(fs::path(folder_) / name, error);
}

Result<StoredBaseline> BaselineStore::find(const std::string& name) const {
  if (has(name)) return StoredBaseline{name, documents_in(fs::path(folder_) / name)};
  const auto known = list();
  if (!known) return known.error();
  std::vector<std::string_view> names;
  for (const StoredBaseline& baseline : *known) names.push_back(baseline.name);
  const std::string_view near = nearest(name, names);
  const std::string hint = near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
  return bad_input(fmt::format("there is no baseline '{}' in {}{}", name, folder_, hint));
}

Status BaselineStore::save(const std::string& name, const std::vector<std::string>& documents,
                           bool replace) const {
  if (Status sound = check_name(name); !sound) return sound;
  if (has(name) && !replace)
    return usage_error(fmt::format("baseline '{}' exists; --force replaces it", name));
  const auto made = new_folder_in(folder_);
  if (!made) return made.error();
  Status done = write_documents(*made, documents);
  if (done) done = put_in_place(*made, fs::path(folder_) / name);
  std::error_code error;
  fs::remove_all(*made, error);
  return done;
}

Status BaselineStore::remove(const std::string& name) const {
  if (const auto found = find(name); !found) return found.error();
  std::error_code error;
  fs::remove_all(fs::path(folder_) / name, error);
  if (error) return failed(fs::path(folder_) / name, "cannot be removed", error);
  return Done{};
}

std::string BaselineStore::names_text() const {
  const auto known = list();
  std::string names;
  if (known)
    for (const StoredBaseline& baseline : *known)
      names += (names.empty() ? "" : ", ") + baseline.name;
  return names.empty() ? fmt::format("{} holds none", folder_)
                       : fmt::format("{} holds {}", folder_, names);
}

Result<std::vector<std::string>> run_paths(const std::vector<std::string>& given,
                                           const BaselineStore& store) {
  std::vector<std::string> out;
  for (const std::string& path : given) {
    std::error_code error;
    const bool exists = fs::exists(path, error);
    if (exists && fs::is_directory(path, error) && !is_trace_folder(path)) {
      const std::vector<std::string> documents = documents_in(path);
      if (documents.empty())
        return bad_input(path + ": a folder without a report (*.json) in it; not a .scope folder");
      out.insert(out.end(), documents.begin(), documents.end());
    } else if (!exists && store.has(path)) {
      const auto found = store.find(path);
      if (!found) return found.error();
      out.insert(out.end(), found->files.begin(), found->files.end());
    } else if (!exists && check_name(path).ok() && !fs::path(path).has_extension()) {
      return no_run_or_baseline(path, store);
    } else {
      out.push_back(path);  // its reader says what is wrong with it
    }
  }
  return out;
}

}  // namespace stepscope
