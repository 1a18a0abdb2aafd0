// SPDX-License-Identifier: Apache-2.0
// Literal Kineto documents as files, and what the importer makes of them.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "core/importers/kineto/kineto.hpp"

namespace stepscope {

// A file of this process alone, removed with the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view content, std::string_view ending = ".json") {
    static int count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("stepscope_kineto_" + std::to_string(::getpid()) + "_" + std::to_string(++count) +
             std::string(ending));
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string gzipped(std::string_view text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline Result<TraceData> read_text(std::string_view content, const KinetoOptions& options = {}) {
  const TemporaryFile file(content);
  return read_kineto(file.path(), {}, options);
}

// The document around a list of events, e.g. R"({"ph": "X", ...}, {...})".
inline std::string document(std::string_view events, std::string_view facts = "") {
  std::string out = "{\"schemaVersion\": 1, ";
  if (!facts.empty()) out.append(facts).append(", ");
  return out.append("\"traceEvents\": [").append(events).append("], \"traceName\": \"t.json\"}");
}

inline TraceData read_good(std::string_view content, const KinetoOptions& options = {}) {
  Result<TraceData> data = read_text(content, options);
  EXPECT_TRUE(data.ok()) << (data.ok() ? "" : data.error().message);
  return data.ok() ? std::move(data).value() : TraceData{};
}

inline TraceData read_events(std::string_view events, std::string_view facts = "") {
  return read_good(document(events, facts));
}

inline std::string read_error(std::string_view content) {
  const Result<TraceData> data = read_text(content);
  EXPECT_FALSE(data.ok()) << content.substr(0, 200);
  return data.ok() ? "" : data.error().message;
}

}  // namespace stepscope
