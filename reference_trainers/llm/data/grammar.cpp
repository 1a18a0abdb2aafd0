// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/data/grammar.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "reference_trainers/llm/data/shuffle.hpp"

namespace stepscope::llm {
namespace {

constexpr std::int64_t kDocument = 0, kStop = 1, kThat = 2, kFirstDeterminer = 3;
constexpr std::int64_t kDeterminers = 8;  // half of them for the plural
constexpr std::uint64_t kFollowers = 8;
constexpr double kFollows = 0.8, kClause = 0.2, kAdjective = 0.4, kEnds = 0.1;

// Words of one kind and number.
struct WordClass {
  std::int64_t first = 0, count = 0;
};

class Writer {
 public:
  Writer(std::int64_t vocabulary, std::int64_t tokens, std::uint64_t seed)
      : wanted_(static_cast<std::size_t>(tokens)), random_(seed) {
    const std::int64_t begin = kFirstDeterminer + kDeterminers;
    const std::int64_t half = (vocabulary - begin) / 2;
    for (std::int64_t number = 0; number < 2; ++number) {
      const std::int64_t first = begin + number * half;
      const std::int64_t nouns = half / 2, verbs = half * 3 / 10;
      nouns_[static_cast<std::size_t>(number)] = {first, nouns};
      verbs_[static_cast<std::size_t>(number)] = {first + nouns, verbs};
      adjectives_[static_cast<std::size_t>(number)] = {first + nouns + verbs, half - nouns - verbs};
    }
    corpus_.tokens.reserve(wanted_ + 64);
  }

  MadeCorpus write() {
    while (corpus_.tokens.size() < wanted_) {
      put(kDocument);
      last_ = 0;
      do sentence();
      while (corpus_.tokens.size() < wanted_ && !chance(kEnds));
    }
    corpus_.entropy = nats_ / static_cast<double>(corpus_.tokens.size());
    corpus_.tokens.resize(wanted_);
    return std::move(corpus_);
  }

 private:
  void put(std::int64_t token) { corpus_.tokens.push_back(static_cast<std::uint16_t>(token)); }

  bool chance(double likely) {
    const bool yes = random_.fraction() < likely;
    nats_ -= std::log(yes ? likely : 1 - likely);
    return yes;
  }

  std::int64_t one_of(std::int64_t count) {
    nats_ += std::log(static_cast<double>(count));
    return static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(count)));
  }

  // Rank r with a chance as 1 / r, by the inverse of the logarithm.
  static std::int64_t zipf_rank(double fraction, std::int64_t count) {
    const double rank = std::exp(fraction * std::log(static_cast<double>(count) + 1));
    return std::min(count, static_cast<std::int64_t>(rank)) - 1;
  }
  static double zipf_chance(std::int64_t rank, std::int64_t count) {
    const auto r = static_cast<double>(rank + 1);
    return std::log((r + 1) / r) / std::log(static_cast<double>(count) + 1);
  }

  // The i-th that goes with the last content word.
  std::int64_t follower(const WordClass& words, std::uint64_t i) const {
    const std::uint64_t key = static_cast<std::uint64_t>(last_) * kFollowers + i;
    return static_cast<std::int64_t>(
        mixed_bits(key ^ static_cast<std::uint64_t>(words.first) << 32) %
        static_cast<std::uint64_t>(words.count));
  }

  // A word comes by either way: both chances count.
  void word(const WordClass& words) {
    const bool follows = random_.fraction() < kFollows;
    const std::int64_t rank = follows ? follower(words, random_.below(kFollowers))
                                      : zipf_rank(random_.fraction(), words.count);
    double likely = (1 - kFollows) * zipf_chance(rank, words.count);
    for (std::uint64_t i = 0; i < kFollowers; ++i)
      if (follower(words, i) == rank) likely += kFollows / kFollowers;
    nats_ -= std::log(likely);
    last_ = words.first + rank;
    put(last_);
  }

  // The number is seen in the determiner; gives it for the verb to agree.
  std::size_t noun_phrase() {
    const std::int64_t determiner = one_of(kDeterminers);
    const auto number = static_cast<std::size_t>(determiner % 2);
    put(kFirstDeterminer + determiner);
    if (chance(kAdjective)) word(adjectives_[number]);
    word(nouns_[number]);
    return number;
  }

  void sentence() {
    const std::size_t subject = noun_phrase();
    if (chance(kClause)) {
      put(kThat);
      word(verbs_[subject]);
      noun_phrase();
    }
    word(verbs_[subject]);
    noun_phrase();
    put(kStop);
  }

  const std::size_t wanted_;
  Random random_;
  std::array<WordClass, 2> nouns_, verbs_, adjectives_;
  std::int64_t last_ = 0;
  double nats_ = 0;
  MadeCorpus corpus_;
};

}  // namespace

MadeCorpus make_corpus(std::int64_t vocabulary, std::int64_t tokens, std::uint64_t seed) {
  return Writer(vocabulary, tokens, seed).write();
}

}  // namespace stepscope::llm
