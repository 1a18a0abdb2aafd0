// SPDX-License-Identifier: Apache-2.0
#include "collectors/python_frames/bytecode.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <string_view>

namespace stepscope::python {
namespace {

using Opcodes = std::string_view;  // one byte an opcode

struct Bytecode {
  unsigned minor;
  // How many units of cache follow an instruction, a digit for each opcode, a: 10, x: not known. Include/
  // opcode.h and the module `opcode` of that version; tests compare them with the running one.
  Opcodes caches;
  Opcodes for_iter, jump_back;   // each in all its forms
  Opcodes wide_argument;         // EXTENDED_ARG, quickened (3.11) as well
  Opcodes branches;              // forward, or go on
  char jump_forward, wait_back;  // JUMP_FORWARD, JUMP_BACKWARD_NO_INTERRUPT
  Opcodes branches_back;         // or go on
  Opcodes ends;                  // they end the function: returns and raises
  Opcodes raises_on;  // at the end of a handler between other code (3.11): they call nothing
};

constexpr Bytecode kVersions[] = {
    {11,
     "00011111100001101444444444222200000000044444000550000005aaaa10aa"
     "1111000011001111110000000000100400000000004200000100500001100001"
     "00000000000001010000000004400044a00000101114000001111xxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0",
     "\x5d", "\x8c\x26\xad\xae\xaf\xb0", "\x90\x22", "\x5d\x6f\x70\x72\x73\x7b\x80\x81", '\x6e',
     '\x86', "\xad\xae\xaf\xb0", "\x53\x77\x82", "\x59\x77\x78"},
    {12,
     "0000001110100110101111133100330000300033333333333000000031111011"
     "1111009099009999999000000000110400000000009100044400400000110000"
     "00000000000001000000400004000001110000111xx300000xxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
     "\x5d\x3e\x3f\x40\x41",
     "\x8c",
     "\x90",
     "\x5d\x3e\x3f\x40\x41\x72\x73\x7b\xa8\x80\x81",
     '\x6e',
     '\x86',
     {},
     "\x53\x77\x79\x82",
     {}},
    {13,
     "0001010000000000000000000000000000000001300001000000030000110000"
     "000000x010000100009000000004010001111000100040000000010xxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxx0111111111111333333333333333333331111111119"
     "9999999999944110144411333333111xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
     "\x48\xbb\xbc\xbd\xbe",
     "\x4d",
     "\x47",
     "\x48\xbb\xbc\xbd\xbe\x61\x62\x63\x64\x68\xd0",
     '\x4f',
     '\x4e',
     {},
     "\x24\x65\x66\x67",
     {}},
};

const Bytecode* bytecode_of(unsigned minor) noexcept {
  const auto* known = std::find_if(std::begin(kVersions), std::end(kVersions),
                                   [minor](const Bytecode& one) { return one.minor == minor; });
  return known == std::end(kVersions) ? nullptr : known;
}

struct Instruction {
  char opcode = 0;
  std::uint32_t argument = 0;
  std::uint32_t begin = 0, next = 0;  // with its prefixes and caches
};

// False: at the end, or at an opcode that is not known.
bool read_instruction(const Bytecode& version, std::span<const std::uint16_t> units, std::size_t at,
                      Instruction& out) noexcept {
  out = {.begin = static_cast<std::uint32_t>(at)};
  for (; at < units.size(); ++at) {
    out.opcode = static_cast<char>(units[at] & 0xFF);
    out.argument = out.argument << 8U | units[at] >> 8U;
    if (version.wide_argument.find(out.opcode) != Opcodes::npos) continue;
    const char caches = version.caches[static_cast<unsigned char>(out.opcode)];
    out.next = static_cast<std::uint32_t>(at + 1) +
               (caches == 'a' ? 10U : static_cast<std::uint32_t>(caches - '0'));
    return caches != 'x';
  }
  return false;
}

bool is_one_of(Opcodes opcodes, char opcode) noexcept {
  return opcodes.find(opcode) != Opcodes::npos;
}

class Loops {
 public:
  explicit Loops(std::span<CodeLoop, kMostCodeLoops> out) noexcept : out_(out) {}

  bool add_for(const Instruction& at) noexcept {
    if (fors_ == ends_of_fors_.size()) return false;
    ends_of_fors_[fors_++] = {at.begin, at.next + at.argument, true, at.next};
    return true;
  }
  bool add_jump_back(const Instruction& at) noexcept {
    if (at.argument > at.next) return false;
    const std::uint32_t to = at.next - at.argument;
    const auto fors = std::span(ends_of_fors_).first(fors_);
    const auto own = std::find_if(fors.begin(), fors.end(),
                                  [to](const CodeLoop& one) { return one.begin == to; });
    return own != fors.end() ? add(*own) : add({to, at.next, false, to});
  }
  // Two heads of one `while` (its condition, and its body behind the first test) span parts of each
  // other, which loops inside each other never do.
  std::size_t in_order() noexcept {
    const auto found = [this] { return std::span(out_).first(count_); };
    const auto outer_first = [](const CodeLoop& a, const CodeLoop& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    };
    std::sort(found().begin(), found().end(), outer_first);
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t j = i + 1; j < count_ && !out_[i].has_iterator;) {
        const bool crosses = out_[j].begin < out_[i].end && out_[j].end > out_[i].end;
        if (!crosses || out_[j].has_iterator) {
          ++j;
          continue;
        }
        out_[i].end = out_[j].end;
        std::copy(found().begin() + static_cast<std::ptrdiff_t>(j) + 1, found().end(),
                  found().begin() + static_cast<std::ptrdiff_t>(j));
        --count_;
      }
    }
    return count_;
  }

 private:
  bool add(const CodeLoop& loop) noexcept {
    for (CodeLoop& known : std::span(out_).first(count_)) {
      if (known.begin != loop.begin) continue;
      known.end = std::max(known.end, loop.end);
      return true;
    }
    if (count_ == out_.size()) return false;
    out_[count_++] = loop;
    return true;
  }

  std::span<CodeLoop, kMostCodeLoops> out_;
  std::size_t count_ = 0;
  std::array<CodeLoop, 2 * kMostCodeLoops> ends_of_fors_{};
  std::size_t fors_ = 0;
};

// Finds the exits of a `for`: going from the last instruction to the first, and again until nothing
// is new, what may be followed by the loop's begin, or by an instruction that may.
class Rounds {
 public:
  Rounds(const Bytecode& version, std::span<const std::uint16_t> units) noexcept
      : version_(version), units_(units) {}

  // False: it has too many.
  bool find_exits(CodeLoop& loop) noexcept {
    loop_ = &loop;
    comes_round_ = {};
    if (!list_instructions()) return false;
    while (go_back()) {
    }
    return list_exits();
  }

 private:
  bool list_instructions() noexcept {
    count_ = 0;
    Instruction at;
    for (std::size_t unit = loop_->begin; unit < loop_->end; unit = at.next) {
      if (!read_instruction(version_, units_, unit, at)) return false;
      begins_[count_++] = static_cast<std::uint16_t>(unit);
    }
    return true;
  }

  bool go_back() noexcept {
    bool is_new = false;
    for (std::size_t i = count_; i-- > 0;) {
      Instruction at;
      (void)read_instruction(version_, units_, begins_[i], at);
      if (comes_round_[begins_[i]] || !may_come_round(at)) continue;
      for (std::uint32_t unit = at.begin; unit < at.next; ++unit) comes_round_[unit] = true;
      is_new = true;
    }
    return is_new;
  }

  bool leads(std::uint32_t unit) const noexcept {
    return unit == loop_->begin || (unit < loop_->end && comes_round_[unit]);
  }

  bool may_come_round(const Instruction& at) const noexcept {
    const auto is = [&at](Opcodes opcodes) { return is_one_of(opcodes, at.opcode); };
    if (at.begin == loop_->begin) return true;
    if (is(version_.ends)) return false;
    if (at.opcode == version_.jump_forward) return leads(at.next + at.argument);
    if (is(version_.branches)) return leads(at.next) || leads(at.next + at.argument);
    if (is(version_.branches_back)) return leads(at.next) || leads(at.next - at.argument);
    if (is(version_.jump_back) || at.opcode == version_.wait_back)
      return leads(at.next - at.argument);
    return leads(at.next);
  }

  // Nothing looks while it runs. Each `with` and `except` has such an end.
  bool only_raises_on(std::uint32_t unit, std::uint32_t end) const noexcept {
    Instruction at;
    for (; unit < end; unit = at.next) {
      (void)read_instruction(version_, units_, unit, at);
      if (!is_one_of(version_.raises_on, at.opcode)) return false;
    }
    return true;
  }

  bool list_exits() noexcept {
    std::size_t exits = 0;
    for (std::uint32_t unit = loop_->begin; unit < loop_->end;) {
      std::uint32_t end = unit;
      while (end < loop_->end && !comes_round_[end]) ++end;
      if (end > unit && !only_raises_on(unit, end)) {
        if (exits == kMostExits) return false;
        loop_->exits[exits++] = {static_cast<std::uint16_t>(unit - loop_->begin),
                                 static_cast<std::uint16_t>(end - loop_->begin)};
      }
      unit = std::max(end, unit + 1);
    }
    return true;
  }

  const Bytecode& version_;
  std::span<const std::uint16_t> units_;
  CodeLoop* loop_ = nullptr;
  std::bitset<kMostUnits> comes_round_;
  std::array<std::uint16_t, kMostUnits> begins_;
  std::size_t count_ = 0;
};

std::size_t with_exits(const Bytecode& version, std::span<const std::uint16_t> units,
                       std::span<CodeLoop> loops) noexcept {
  if (loops.empty()) return 0;
  Rounds rounds(version, units);
  for (CodeLoop& loop : loops)
    if (loop.has_iterator && !rounds.find_exits(loop)) return kUnknownLoops;
  return loops.size();
}

}  // namespace

bool knows_bytecode(unsigned minor) noexcept {
  return bytecode_of(minor) != nullptr;
}

std::size_t find_code_loops(unsigned minor, std::span<const std::uint16_t> units,
                            std::span<CodeLoop, kMostCodeLoops> out) noexcept {
  const Bytecode* version = bytecode_of(minor);
  if (version == nullptr || units.size() > kMostUnits) return kUnknownLoops;
  Loops loops(out);
  Instruction at;
  std::size_t unit = 0;
  for (; read_instruction(*version, units, unit, at); unit = at.next) {
    if (is_one_of(version->for_iter, at.opcode) && !loops.add_for(at)) return kUnknownLoops;
    if (is_one_of(version->jump_back, at.opcode) && !loops.add_jump_back(at)) return kUnknownLoops;
  }
  if (unit < units.size()) return kUnknownLoops;
  return with_exits(*version, units, std::span(out).first(loops.in_order()));
}

}  // namespace stepscope::python
