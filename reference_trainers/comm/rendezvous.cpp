// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/comm/rendezvous.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <cerrno>
#include <cstring>
#include <random>
#include <vector>

#include "reference_trainers/comm/comm.hpp"

namespace stepscope::trainers {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// What rank 0 leaves in the store.
struct Meeting {
  std::uint64_t secret = 0;
  std::uint16_t port = 0;
};

// What each other rank says first.
struct Hello {
  std::uint64_t secret = 0;
  std::int64_t rank = 0;
};

class Socket {
 public:
  explicit Socket(int number = -1) : number_(number) {}
  Socket(Socket&& other) noexcept : number_(other.release()) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Socket() {
    if (number_ >= 0) close(number_);
  }
  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Result<Addresses> addresses_of(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error != 0) return usage_error(fmt::format("MASTER_ADDR {}: {}", host, gai_strerror(error)));
  return Addresses(found, &freeaddrinfo);
}

// Calls open(socket, address) for each address, until it succeeds.
template <class Open>
Result<Socket> first_socket(const std::string& host, std::uint16_t port, Open open) {
  const Result<Addresses> addresses = addresses_of(host, port);
  if (!addresses) return addresses.error();
  for (const addrinfo* one = addresses->get(); one != nullptr; one = one->ai_next) {
    Socket socket(::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (socket.get() >= 0 && open(socket.get(), *one)) return socket;
  }
  return io_error(fmt::format("{}:{}: {}", host, port, std::strerror(errno)));
}

std::uint16_t port_of(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  const auto port = address.ss_family == AF_INET6
                        ? reinterpret_cast<const sockaddr_in6*>(&address)->sin6_port
                        : reinterpret_cast<const sockaddr_in*>(&address)->sin_port;
  return ntohs(port);
}

void answer_at_once(int socket) {
  const int on = 1;
  (void)setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

c10::intrusive_ptr<c10d::Store> open_store(const RankEnvironment& environment,
                                           milliseconds patience) {
  c10d::TCPStoreOptions options;
  options.port = environment.port;
  options.isServer = environment.rank == 0 && !environment.store_is_served;
  options.waitWorkers = false;
  options.timeout = patience;
  if (options.isServer && environment.store_socket >= 0)
    options.masterListenFd = environment.store_socket;
  return c10::make_intrusive<c10d::TCPStore>(environment.address, options);
}

bool is_hello(int socket, const Meeting& meeting, int size, Hello& hello) {
  const timeval soon{.tv_sec = 5, .tv_usec = 0};
  (void)setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
  ssize_t got = 0;
  do got = recv(socket, &hello, sizeof hello, MSG_WAITALL);
  while (got < 0 && errno == EINTR);
  return got == sizeof hello && hello.secret == meeting.secret && hello.rank > 0 &&
         hello.rank < size;
}

Error not_all_came(const std::vector<Socket>& others, milliseconds patience) {
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < others.size(); ++i)
    if (others[i].get() < 0) missing.push_back(i + 1);
  return io_error(fmt::format("rank {} did not come within {} s", fmt::join(missing, ", "),
                              patience.count() / 1000));
}

// `listening` never blocks: a signal may end the wait for it, and who asked may be gone by then.
Result<std::vector<Socket>> accept_all(int listening, const Meeting& meeting, int size,
                                       milliseconds patience) {
  std::vector<Socket> others(static_cast<std::size_t>(size - 1));
  const auto end = Clock::now() + patience;
  for (int here = 1; here < size;) {
    const auto left = std::chrono::duration_cast<milliseconds>(end - Clock::now());
    pollfd wait{listening, POLLIN, 0};
    if (left.count() <= 0 || poll(&wait, 1, static_cast<int>(left.count())) == 0)
      return not_all_came(others, patience);
    Socket other(accept4(listening, nullptr, nullptr, SOCK_CLOEXEC));
    Hello hello;
    if (other.get() < 0 || !is_hello(other.get(), meeting, size, hello)) continue;
    Socket& place = others[static_cast<std::size_t>(hello.rank - 1)];
    if (place.get() >= 0) return io_error(fmt::format("two processes are rank {}", hello.rank));
    place = std::move(other);
    ++here;
  }
  return others;
}

std::string key_of(const RankEnvironment& environment) {
  return "stepscope/ranks/" + environment.attempt;
}

Result<std::vector<Socket>> wait_for_others(const RankEnvironment& environment, c10d::Store& store,
                                            milliseconds patience) {
  const Result<Socket> listening =
      first_socket(environment.address, 0, [](int socket, const addrinfo& address) {
        return bind(socket, address.ai_addr, address.ai_addrlen) == 0 &&
               listen(socket, SOMAXCONN) == 0 && fcntl(socket, F_SETFL, O_NONBLOCK) == 0;
      });
  if (!listening) return listening.error();
  std::random_device random;
  const Meeting meeting{std::uint64_t{random()} << 32 | random(), port_of(listening->get())};
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(&meeting);
  store.set(key_of(environment), std::vector<std::uint8_t>(bytes, bytes + sizeof meeting));
  return accept_all(listening->get(), meeting, environment.size, patience);
}

Result<std::vector<Socket>> go_to_first(const RankEnvironment& environment, c10d::Store& store) {
  const std::vector<std::uint8_t> bytes = store.get(key_of(environment));
  Meeting meeting;
  if (bytes.size() != sizeof meeting) return bad_input("rank 0 left no meeting in the store");
  std::memcpy(&meeting, bytes.data(), sizeof meeting);
  Result<Socket> socket =
      first_socket(environment.address, meeting.port, [](int number, const addrinfo& address) {
        return connect(number, address.ai_addr, address.ai_addrlen) == 0;
      });
  if (!socket) return socket.error();
  const Hello hello{meeting.secret, environment.rank};
  if (::send(socket->get(), &hello, sizeof hello, MSG_NOSIGNAL) != sizeof hello)
    return io_error("rank 0 ended its connection");
  std::vector<Socket> one;
  one.push_back(std::move(*socket));
  return one;
}

}  // namespace

Result<std::unique_ptr<Links>> meet(const RankEnvironment& environment, milliseconds to_meet,
                                    milliseconds patience) try {
  const auto store = open_store(environment, to_meet);
  Result<std::vector<Socket>> sockets = environment.rank == 0
                                            ? wait_for_others(environment, *store, to_meet)
                                            : go_to_first(environment, *store);
  if (!sockets) return sockets.error();
  std::vector<int> numbers;
  for (Socket& socket : *sockets) {
    answer_at_once(socket.get());
    numbers.push_back(socket.release());
  }
  return std::make_unique<Links>(environment.rank, std::move(numbers), patience);
} catch (const std::exception&) {  // LibTorch's text has its own source lines
  return io_error(fmt::format("rank {}: rank 0's store does not answer at {}:{} (waited {} s)",
                              environment.rank, environment.address, environment.port,
                              to_meet.count() / 1000));
}

}  // namespace stepscope::trainers
