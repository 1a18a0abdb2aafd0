// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/comm/links.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "reference_trainers/comm/comm.hpp"

namespace stepscope::trainers {

using std::chrono::milliseconds;

struct Links::Header {
  enum Meaning : std::uint32_t { data = 0x73746570, failure, done };
  std::uint32_t meaning = data;
  Call call{Call::Kind::barrier};
  std::uint64_t bytes = 0;
};

namespace {

constexpr std::size_t kLongestReason = std::size_t{16} << 10U;
constexpr milliseconds kLinger{1000};  // for what the others were sending when a rank failed

const char* name_of(Call::Kind kind) {
  switch (kind) {
    case Call::Kind::all_reduce:
      return "all_reduce";
    case Call::Kind::all_gather:
      return "all_gather";
    case Call::Kind::broadcast:
      return "broadcast";
    case Call::Kind::barrier:
      return "barrier";
    case Call::Kind::reduce_scatter:
      return "reduce_scatter";
    case Call::Kind::progress:
      break;
  }
  return "progress";
}

// Whether it is ready before the time is over.
bool ready(int socket, short events, milliseconds time) {
  pollfd one{socket, events, 0};
  int count = 0;
  do {
    count = poll(&one, 1, static_cast<int>(time.count()));
  } while (count < 0 && errno == EINTR);
  return count > 0;
}

// Drops what is left over: the peer is failing, too.
void drain(int socket) {
  char rest[4096];
  while (ready(socket, POLLIN, kLinger) && recv(socket, rest, sizeof rest, MSG_DONTWAIT) > 0) {
  }
}

}  // namespace

// Rank 0 is the first to miss a rank and can name it; the others wait for that a little longer.
Links::Links(int rank, std::vector<int> sockets, milliseconds patience)
    : rank_(rank),
      sockets_(std::move(sockets)),
      patience_(rank == 0 ? patience : patience + patience / 2 + kLinger) {}

Links::~Links() {
  for (const int socket : sockets_) close(socket);
}

std::vector<int> Links::peers() const {
  std::vector<int> all;
  for (std::size_t i = 0; i < sockets_.size(); ++i)
    all.push_back(rank_ == 0 ? static_cast<int>(i) + 1 : 0);
  return all;
}

int Links::socket_of(int peer) const {
  return sockets_[rank_ == 0 ? static_cast<std::size_t>(peer - 1) : 0];
}

void Links::fail(const std::string& reason) {
  if (failed_.exchange(true)) return;
  const std::string shortened = reason.substr(0, kLongestReason);
  const Header header{Header::failure, {Call::Kind::barrier}, shortened.size()};
  std::string message(sizeof header, '\0');
  std::memcpy(message.data(), &header, sizeof header);
  message += shortened;
  for (const int socket : sockets_) {
    (void)!::send(socket, message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)shutdown(socket, SHUT_WR);
  }
  for (const int socket : sockets_) drain(socket);
}

void Links::give_up(const std::string& reason) {
  fail(reason);
  throw RankFailure(reason);
}

void Links::lost(int peer, const char* what) {
  give_up(fmt::format("rank {} {}", peer, what));
}

// While this rank sends, its peer has nothing to say but that the group has failed.
void Links::await(int peer, short events) {
  if (!ready(socket_of(peer), static_cast<short>(events | POLLIN), patience_))
    lost(peer, fmt::format("did not come within {} s", patience_.count() / 1000).c_str());
}

void Links::write_all(int to, const void* data, std::size_t bytes) {
  const char* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t sent = ::send(socket_of(to), next, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      next += sent;
      bytes -= static_cast<std::size_t>(sent);
      continue;
    }
    if (errno == EINTR) continue;
    const bool full = errno == EAGAIN || errno == EWOULDBLOCK;
    if (full) await(to, POLLOUT);
    // Its reason, or its end, stands in what it sent last.
    if (!full || ready(socket_of(to), POLLIN, milliseconds(0))) (void)read_header(to);
    if (!full) lost(to, "ended its connection");
  }
}

void Links::read_all(int from, void* data, std::size_t bytes) {
  char* next = static_cast<char*>(data);
  while (bytes > 0) {
    await(from, POLLIN);
    const ssize_t got = recv(socket_of(from), next, bytes, MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)) continue;
    if (got <= 0) lost(from, "ended before the run was done");
    next += got;
    bytes -= static_cast<std::size_t>(got);
  }
}

Links::Header Links::read_header(int from) {
  Header header;
  read_all(from, &header, sizeof header);
  if (header.meaning == Header::data || header.meaning == Header::done) return header;
  if (header.meaning != Header::failure || header.bytes > kLongestReason)
    lost(from, "sent what no rank sends");
  std::string reason(static_cast<std::size_t>(header.bytes), '\0');
  read_all(from, reason.data(), reason.size());
  give_up(reason);
}

void Links::send(int to, const Call& call, const void* data, std::size_t bytes) {
  const Header header{Header::data, call, bytes};
  write_all(to, &header, sizeof header);
  write_all(to, data, bytes);
}

void Links::receive(int from, const Call& call, void* data, std::size_t bytes) {
  const Header header = read_header(from);
  if (header.meaning == Header::done) lost(from, "was done before the others");
  if (header.call.kind != call.kind || header.call.number != call.number || header.bytes != bytes)
    give_up(
        fmt::format("rank {} made call {}, {} of {} bytes, where rank {} made call {}, {} of {}",
                    from, header.call.number, name_of(header.call.kind), header.bytes, rank_,
                    call.number, name_of(call.kind), bytes));
  read_all(from, data, bytes);
}

void Links::say_progress(std::uint32_t calls) {
  const Header header{Header::data, {Call::Kind::progress, calls}, 0};
  for (const int peer : peers()) write_all(peer, &header, sizeof header);
}

void Links::say_done() {
  const Header header{Header::done, {Call::Kind::progress}, 0};
  for (const int peer : peers()) write_all(peer, &header, sizeof header);
}

int Links::wait_for_any(milliseconds time) const {
  std::vector<pollfd> all;
  for (const int peer : peers()) {
    const bool done = std::find(done_.begin(), done_.end(), peer) != done_.end();
    all.push_back({done ? -1 : socket_of(peer), POLLIN, 0});  // poll passes over negative ones
  }
  if (poll(all.data(), all.size(), static_cast<int>(time.count())) <= 0) return -1;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].revents != 0) return peers()[i];
  return -1;
}

Links::Notice Links::notice(int from) {
  const Header header = read_header(from);
  if (header.meaning == Header::done) done_.push_back(from);
  return {header.meaning == Header::done, header.call.number};
}

}  // namespace stepscope::trainers
