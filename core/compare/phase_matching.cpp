// SPDX-License-Identifier: Apache-2.0
#include "core/compare/matched_work.hpp"

#include <map>
#include <set>
#include <string>

namespace stepscope::compare_parts {
namespace {

using Paths = std::set<std::string>;

Paths paths_of(const std::vector<WorkItem>& items) {
  Paths out;
  for (const WorkItem& item : items) out.insert(item.phase);
  return out;
}

std::string last_part(const std::string& path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0: the whole of a path without a slash
}

std::map<std::string, std::vector<std::string>> missing_in(const Paths& of, const Paths& other) {
  std::map<std::string, std::vector<std::string>> out;
  for (const std::string& path : of)
    if (!other.contains(path)) out[last_part(path)].push_back(path);
  return out;
}

}  // namespace

void rename_phases(std::vector<WorkItem>& a, const std::vector<WorkItem>& b) {
  const Paths of_a = paths_of(a);
  const Paths of_b = paths_of(b);
  const auto only_b = missing_in(of_b, of_a);
  std::map<std::string, std::string> names;
  for (const auto& [last, paths] : missing_in(of_a, of_b)) {
    const auto other = only_b.find(last);
    if (paths.size() == 1 && other != only_b.end() && other->second.size() == 1)
      names[paths.front()] = other->second.front();
  }
  for (WorkItem& item : a)
    if (const auto name = names.find(item.phase); name != names.end()) item.phase = name->second;
}

}  // namespace stepscope::compare_parts
