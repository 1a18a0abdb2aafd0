// SPDX-License-Identifier: Apache-2.0
// Named baselines in a plain folder that can be committed: DIR/NAME/1.json, 2.json, ... one
// report's document ("stepscope.report/1") a run, and nothing else. A baseline is there whole or
// not at all.
#pragma once

#include <string>
#include <vector>

#include "core/support/result.hpp"

namespace stepscope {

inline constexpr const char* kBaselineFolder = ".stepscope/baselines";

struct StoredBaseline {
  std::string name;
  std::vector<std::string> files;  // in the order of their numbers
};

class BaselineStore {
 public:
  explicit BaselineStore(std::string folder) : folder_(std::move(folder)) {}

  // Lists the baselines by name; a folder that is not there holds none.
  Result<std::vector<StoredBaseline>> list() const;
  // Errors: bad_input where there is none, with the nearest name.
  Result<StoredBaseline> find(const std::string& name) const;
  bool has(const std::string& name) const;
  std::string names_text() const;  // "DIR holds fast, main"
  // Errors: usage (a name that is none, or is taken and `replace` is not said), io.
  Status save(const std::string& name, const std::vector<std::string>& documents,
              bool replace) const;
  Status remove(const std::string& name) const;

 private:
  std::string folder_;
};

// Each path as it is; a folder of documents as all of them, a baseline's name as its documents.
Result<std::vector<std::string>> run_paths(const std::vector<std::string>& given,
                                           const BaselineStore& store);

}  // namespace stepscope
