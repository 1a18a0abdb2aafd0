// SPDX-License-Identifier: Apache-2.0
#include "cli/output/output.hpp"

#include <langinfo.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cerrno>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include "cli/output/failure.hpp"

namespace stepscope {
namespace {

bool is_special(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
}

std::filesystem::path place_of(const std::string& path) {
  std::error_code error;
  const auto whole = std::filesystem::weakly_canonical(path, error);
  return error ? std::filesystem::path(path) : whole;
}

}  // namespace

Status refuse_same_outputs(std::span<const std::string> paths) {
  for (std::size_t i = 0; i < paths.size(); ++i)
    for (std::size_t j = i + 1; j < paths.size(); ++j)
      if (!paths[i].empty() && !paths[j].empty() && !is_special(paths[i]) &&
          place_of(paths[i]) == place_of(paths[j]))
        return usage_error(fmt::format(
            "{}: is named for two outputs, of which one would be lost; name two files", paths[j]));
  return Done{};
}

Output::Output(std::string path, std::optional<WholeFile> whole, std::FILE* file)
    : path_(std::move(path)), whole_(std::move(whole)), file_(file) {}

Output::Output(Output&& other) noexcept
    : path_(std::move(other.path_)),
      whole_(std::move(other.whole_)),
      file_(std::exchange(other.file_, nullptr)) {}

Output::~Output() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
}

Error Output::failed(const char* what) const {
  const std::string name = is_stdout() ? "standard output" : path_;
  return io_error(fmt::format("{}: {}: {}; choose another place with -o FILE", name, what,
                              std::strerror(errno)));
}

Result<Output> Output::open(const std::string& path, std::span<const std::string> inputs) {
  if (path.empty()) return Output({}, {}, stdout);
  if (const Status other = refuse_input(path, inputs); !other) return other.error();
  std::optional<WholeFile> whole;
  if (!is_special(path)) {
    auto made = WholeFile::open(path);
    if (!made) return made.error();
    whole.emplace(std::move(*made));
  }
  const std::string written = whole ? whole->path() : path;
  Output out(path, std::move(whole), std::fopen(written.c_str(), "wb"));
  if (out.file_ == nullptr) return out.failed("cannot be written");
  return out;
}

Status Output::finish(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), file_) == text.size();
  if (!written || std::fflush(file_) != 0) return failed("writing failed");
  if (file_ == stdout) return Done{};
  if (whole_ && fsync(fileno(file_)) != 0) return failed("writing failed");
  if (std::fclose(std::exchange(file_, nullptr)) != 0) return failed("writing failed");
  return whole_ ? whole_->take_place() : Status(Done{});
}

void Output::say_written() const {
  if (!is_stdout() && !is_special(path_)) say("stepscope: wrote {}\n", path_);
}

namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool locale_is_utf8() {
  std::setlocale(LC_CTYPE, "");
  return std::string_view(nl_langinfo(CODESET)) == "UTF-8";
}

}  // namespace

Style style_for(bool to_terminal) {
  const bool wanted = environment("NO_COLOR").empty() && environment("TERM") != "dumb";
  return {.colour = to_terminal && wanted,
          .unicode = locale_is_utf8(),
          .whole_names = !to_terminal && environment("COLUMNS").empty()};
}

bool stdout_is_terminal() {
  return isatty(STDOUT_FILENO) != 0;
}
bool stderr_is_terminal() {
  return isatty(STDERR_FILENO) != 0;
}

}  // namespace stepscope
