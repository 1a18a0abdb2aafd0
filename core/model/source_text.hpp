// SPDX-License-Identifier: Apache-2.0
// The part of a source file that a recording keeps, so that lines can be matched between two runs
// after the file was edited: a hash of each line, and the text of the lines that were recorded.
//
// A line's hash is of its text without the white space at both ends, so that a line whose
// indentation changed stays the same line. A line without a letter or digit is not distinctive and
// has the hash 0.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

struct SourceText {
  std::string file;                            // as the trace's places name it
  std::vector<std::uint32_t> hashes;           // by line, from line 1
  std::map<std::uint32_t, std::string> lines;  // by number from 1: the text, cut where it is long
  friend bool operator==(const SourceText&, const SourceText&) = default;
};

std::uint32_t hash_of_line(std::string_view line);

// The same text as a recording keeps it: without white space at its ends, and not too long.
std::string kept_text(std::string_view line);

// Eight hexadecimal digits a line, as documents write them. Nothing where the text is no such list.
std::string text_of_hashes(const std::vector<std::uint32_t>& hashes);
bool read_hashes(std::string_view text, std::vector<std::uint32_t>& out);

}  // namespace stepscope
