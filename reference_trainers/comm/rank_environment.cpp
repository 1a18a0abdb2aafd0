// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/comm/rank_environment.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace stepscope::trainers {
namespace {

std::string value_of(const char* name, const char* otherwise = "") {
  const char* value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}

Result<int> number(const char* name, const std::string& value, int least, int most) {
  int parsed = 0;
  const char* end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, parsed);
  if (error != std::errc() || rest != end || parsed < least || parsed > most)
    return usage_error(
        fmt::format("the environment's {} is '{}'; it must be {} to {}", name, value, least, most));
  return parsed;
}

}  // namespace

Result<std::optional<RankEnvironment>> rank_environment() {
  constexpr int kMostRanks = 4096;
  const std::string rank_text = value_of("RANK");
  if (rank_text.empty()) return std::optional<RankEnvironment>();
  const Result<int> size = number("WORLD_SIZE", value_of("WORLD_SIZE"), 1, kMostRanks);
  if (!size) return size.error();
  const Result<int> rank = number("RANK", rank_text, 0, *size - 1);
  if (!rank) return rank.error();
  const Result<int> local =
      number("LOCAL_RANK", value_of("LOCAL_RANK", rank_text.c_str()), 0, kMostRanks);
  if (!local) return local.error();
  const Result<int> port = number("MASTER_PORT", value_of("MASTER_PORT"), 1, 65535);
  if (!port) return port.error();
  const Result<int> socket =
      number(kStoreSocketVariable, value_of(kStoreSocketVariable, "-1"), -1, 1 << 20);
  if (!socket) return socket.error();
  RankEnvironment found{.rank = *rank, .size = *size, .local_rank = *local};
  found.address = value_of("MASTER_ADDR");
  if (found.address.empty())
    return usage_error("the environment has RANK but no MASTER_ADDR: the address of rank 0");
  found.port = static_cast<std::uint16_t>(*port);
  found.store_is_served = value_of("TORCHELASTIC_USE_AGENT_STORE") == "True";
  found.store_socket = *socket;
  found.attempt = value_of("TORCHELASTIC_RESTART_COUNT", "0");
  return std::optional(found);
}

}  // namespace stepscope::trainers
