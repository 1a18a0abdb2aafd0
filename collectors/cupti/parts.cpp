// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/parts.hpp"

#include <string_view>

namespace stepscope::cupti {
namespace {

struct Named {
  std::string_view name;
  bool Parts::*part;
};
constexpr Named kNamed[] = {
    {"records", &Parts::records},
    {"calls", &Parts::calls},
    {"lines", &Parts::lines},
    {"streams", &Parts::streams},
    {"graph_nodes", &Parts::graph_nodes},
    {"resources", &Parts::resources},
    {"state", &Parts::state},
    {"overhead", &Parts::overhead},
    {"flush", &Parts::flush},
};

}  // namespace

void leave_out(Parts& parts, const char* words) noexcept {
  for (std::string_view rest = words == nullptr ? "" : words; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(','));
    for (const Named& named : kNamed) {
      if (named.name == word) parts.*named.part = false;
    }
    rest.remove_prefix(word.size() == rest.size() ? word.size() : word.size() + 1);
  }
}

}  // namespace stepscope::cupti
