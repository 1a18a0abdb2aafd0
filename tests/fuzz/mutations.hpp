// SPDX-License-Identifier: Apache-2.0
// Deterministic mutations for fuzz targets that run as ordinary tests: the same seed gives the same
// inputs on every machine. With clang the same targets run under libFuzzer instead.
#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

class Mutations {
 public:
  Mutations(std::vector<std::string> seeds, std::vector<std::string> tokens, std::uint64_t seed)
      : seeds_(std::move(seeds)), tokens_(std::move(tokens)), random_(seed) {}

  // A seed with one to eight changes.
  std::string next() {
    std::string text = seeds_[below(seeds_.size())];
    for (std::size_t change = 1 + below(8); change > 0 && !text.empty(); --change) mutate(text);
    return text;
  }

 private:
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

  void mutate(std::string& text) {
    const std::size_t at = below(text.size());
    const std::size_t length = 1 + below(16);
    switch (below(7)) {
      case 0:
        text[at] = static_cast<char>(random_());
        break;
      case 1:
        text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 2:
        text.erase(at, length);
        break;
      case 3:
        text.insert(at, tokens_[below(tokens_.size())]);
        break;
      case 4:
        text.insert(below(text.size()), text.substr(at, length * 8));
        break;
      case 5:
        text.replace(at, length, tokens_[below(tokens_.size())]);
        break;
      default:
        text.resize(at);
        break;
    }
  }

  std::vector<std::string> seeds_;
  std::vector<std::string> tokens_;
  std::mt19937_64 random_;
};

}  // namespace stepscope
