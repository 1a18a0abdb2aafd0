// SPDX-License-Identifier: Apache-2.0
// Training scripts as lists of lines, and edits of them as people make them: lines are inserted,
// deleted, moved, rewritten; functions are renamed and moved; the file is copied under another
// name. Each line keeps a number of its own through all edits, so that a test knows which line of
// the edited script is which.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/core/compare/sample_sides.hpp"

namespace stepscope {

struct ScriptOperation {
  std::string name;
  std::uint64_t calls = 0;  // a step
  double ns = 0;            // each
};

struct ScriptLine {
  int id = 0;
  int function = 0;  // number of its function
  std::string text;
  std::vector<ScriptOperation> operations;  // none: the line does nothing that is recorded
  bool is_header = false;
};

struct Script {
  std::string path = "/home/user/train.py";
  std::vector<ScriptLine> lines;
  std::map<int, std::string> functions;  // names, by number
};

class RandomScripts {
 public:
  explicit RandomScripts(std::uint32_t seed) : random_(seed) {}

  Script make() {
    Script out;
    const int functions = between(2, 6);
    for (int f = 0; f < functions; ++f) {
      const int number = ++functions_made_;
      out.functions[number] =
          pick<std::string>({"forward", "loss_of", "update", "train_step", "log_step", "augment"}) +
          std::to_string(number);
      ScriptLine header = made(number, "def " + out.functions[number] + "(self, x):");
      header.is_header = true;
      out.lines.push_back(header);
      for (int i = between(3, 14); i > 0; --i) out.lines.push_back(statement(number));
      out.lines.push_back(made(number, "return x"));
      out.lines.push_back(made(number, ""));
    }
    return out;
  }

  // Some of the edits, one after another.
  Script edited(Script script) {
    for (int edits = between(1, 6); edits > 0; --edits) {
      switch (between(0, 6)) {
        case 0:
        case 1:
          insert(script);
          break;
        case 2:
          erase(script);
          break;
        case 3:
          move_line(script);
          break;
        case 4:
          rewrite(script);
          break;
        case 5:
          rename_function(script);
          break;
        default:
          move_function(script);
      }
    }
    if (between(0, 2) == 0) script.path = "/home/user/train2.py";
    return script;
  }

  // What a run of the script records: some lines are never met, and times vary.
  Summary recorded(const Script& script, bool with_text, std::uint64_t steps = 10) {
    std::vector<SampleCell> cells;
    WorkCount ops{.name = "cpu_ops", .in_recording = {}, .places = {}};
    SourceText source{.file = script.path, .hashes = {}, .lines = {}};
    std::lognormal_distribution<double> noise(0, 0.3);
    for (std::size_t i = 0; i < script.lines.size(); ++i) {
      const ScriptLine& line = script.lines[i];
      const auto number = static_cast<std::uint32_t>(i + 1);
      source.hashes.push_back(hash_of_line(line.text));
      if (between(0, 9) == 0) continue;
      for (const ScriptOperation& op : line.operations) {
        const auto ns = static_cast<std::int64_t>(static_cast<double>(op.calls * steps) * op.ns *
                                                  noise(random_));
        cells.push_back({.cause = Cause::host_compute_other,
                         .phase = "(no phase)",
                         .line = number,
                         .operation = op.name,
                         .ns = ns,
                         .calls = op.calls * steps,
                         .file = script.path,
                         .function = script.functions.at(line.function)});
        ops.places.push_back({script.path, number, script.functions.at(line.function), op.name,
                              Direction::none, op.calls * steps});
        ops.total += op.calls * steps;
        source.lines[number] = line.text;
      }
    }
    Summary out = side_of_cells(cells, steps);
    out.run.device = "";
    out.counts.push_back(std::move(ops));
    if (with_text) out.sources.push_back(std::move(source));
    return out;
  }

 private:
  int between(int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random_);
  }
  template <class T>
  T pick(const std::vector<T>& list) {
    return list[static_cast<std::size_t>(between(0, static_cast<int>(list.size()) - 1))];
  }

  ScriptLine made(int function, std::string text) {
    return {.id = ++lines_made_,
            .function = function,
            .text = "    " + std::move(text),
            .operations = {},
            .is_header = false};
  }

  // Half of the statements are written often, with the same text.
  ScriptLine statement(int function) {
    const std::string n = std::to_string(between(1, 99));
    struct Kind {
      std::string text;
      std::vector<ScriptOperation> operations;
    };
    const std::vector<Kind> kinds = {
        {"x = torch.relu(x)", {{"aten::relu", 1, 9e3}, {"aten::clamp_min", 1, 8e3}}},
        {"x = x + residual", {{"aten::add", 1, 7e3}}},
        {"x = self.dropout(x)", {{"aten::dropout", 1, 9e3}, {"aten::bernoulli_", 1, 3e4}}},
        {"x = self.layer" + n + "(x)", {{"aten::linear", 1, 4e4}, {"aten::addmm", 1, 3e4}}},
        {"x = self.conv" + n + "(x)", {{"aten::conv2d", 1, 2e5}, {"aten::convolution", 1, 2e5}}},
        {"h" + n + " = torch.softmax(x, -1)", {{"aten::softmax", 1, 2e4}}},
        {"total" + n + " = loss.item()", {{"aten::item", 1, 5e3}}},
        {"loss = (x - y" + n + ").square().mean()",
         {{"aten::sub", 1, 8e3}, {"aten::square", 1, 8e3}, {"aten::mean", 1, 6e3}}},
        {"for p in self.part" + n + ".parameters(): norm += p.grad.norm()",
         {{"aten::linalg_vector_norm", 26, 9e3}, {"aten::add_", 26, 2e3}}},
        {"optimizer" + n + ".step()", {{"aten::_foreach_add_", 8, 3e4}}},
        {"# " + n + " follows the paper", {}},
        {"if step % " + n + " == 0:", {}},
        {")", {}},
    };
    const Kind kind = pick(kinds);
    ScriptLine out = made(function, kind.text);
    out.operations = kind.operations;
    return out;
  }

  std::size_t any_statement(const Script& script) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < script.lines.size(); ++i)
      if (!script.lines[i].is_header) places.push_back(i);
    return pick(places);
  }

  void insert(Script& script) {
    const std::size_t at = any_statement(script);
    const int function = script.lines[at].function;
    for (int count = between(1, 5); count > 0; --count)
      script.lines.insert(script.lines.begin() + static_cast<std::ptrdiff_t>(at),
                          statement(function));
  }

  void erase(Script& script) {
    const std::size_t at = any_statement(script);
    for (int count = between(1, 3); count > 0 && at < script.lines.size(); --count) {
      if (script.lines[at].is_header) break;
      script.lines.erase(script.lines.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }

  void move_line(Script& script) {
    const std::size_t from = any_statement(script);
    const ScriptLine line = script.lines[from];
    script.lines.erase(script.lines.begin() + static_cast<std::ptrdiff_t>(from));
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < script.lines.size(); ++i)
      if (!script.lines[i].is_header && script.lines[i].function == line.function)
        places.push_back(i);
    const std::size_t to = places.empty() ? from : pick(places);
    script.lines.insert(script.lines.begin() + static_cast<std::ptrdiff_t>(to), line);
  }

  void rewrite(Script& script) {
    ScriptLine& line = script.lines[any_statement(script)];
    if (!line.operations.empty()) line.text += pick<std::string>({".float()", " * 0.5", "  # why"});
  }

  void rename_function(Script& script) {
    for (auto& line : script.lines) {
      if (!line.is_header) continue;
      if (between(0, static_cast<int>(script.functions.size()) - 1) != 0) continue;
      script.functions[line.function] = "renamed" + std::to_string(++lines_made_);
      line.text = "    def " + script.functions[line.function] + "(self, x):";
      return;
    }
  }

  void move_function(Script& script) {
    const int function = script.lines[any_statement(script)].function;
    std::vector<ScriptLine> block, rest;
    for (const ScriptLine& line : script.lines)
      (line.function == function ? block : rest).push_back(line);
    if (between(0, 1) == 0) {
      rest.insert(rest.begin(), block.begin(), block.end());
    } else {
      rest.insert(rest.end(), block.begin(), block.end());
    }
    script.lines = std::move(rest);
  }

  std::mt19937 random_;
  int lines_made_ = 0;
  int functions_made_ = 0;
};

}  // namespace stepscope
