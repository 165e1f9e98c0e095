#include "tests/hosts/delay_proxy.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <list>
#include <thread>
#include <vector>

#include "tests/hosts/tcp.h"

namespace eventspace::testing_hosts {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t max_held = 1u << 20;
constexpr std::size_t max_read = 16u << 10;

bool try_again() { return errno == EAGAIN || errno == EINTR; }

// The bytes under way from one side to the other. An empty chunk stands for the end of the stream.
class Direction {
 public:
  Direction(int from, int to, Clock::duration delay) : from_(from), to_(to), delay_(delay) {}

  [[nodiscard]] bool wants_input() const { return !ended_ && held_ < max_held; }
  [[nodiscard]] bool wants_output(Clock::time_point now) const {
    return !chunks_.empty() && chunks_.front().due <= now;
  }
  [[nodiscard]] bool is_done() const { return ended_ && chunks_.empty(); }
  [[nodiscard]] Clock::time_point next() const {
    return chunks_.empty() ? Clock::time_point::max() : chunks_.front().due;
  }

  // Returns false if the connection has failed.
  bool read() {
    std::vector<char> bytes(max_read);
    const ssize_t count = ::read(from_, bytes.data(), bytes.size());
    if (count < 0) return try_again();
    bytes.resize(static_cast<std::size_t>(count));
    ended_ = bytes.empty();
    held_ += bytes.size();
    chunks_.push_back({Clock::now() + delay_, std::move(bytes), 0});
    return true;
  }
  bool write() {
    Chunk& chunk = chunks_.front();
    const std::size_t left = chunk.bytes.size() - chunk.written;
    if (left == 0) ::shutdown(to_, SHUT_WR);
    const ssize_t count = left == 0 ? 0 : ::send(to_, chunk.bytes.data() + chunk.written, left, MSG_NOSIGNAL);
    if (count < 0) return try_again();
    chunk.written += static_cast<std::size_t>(count);
    held_ -= static_cast<std::size_t>(count);
    if (chunk.written == chunk.bytes.size()) chunks_.pop_front();
    return true;
  }

 private:
  struct Chunk {
    Clock::time_point due;
    std::vector<char> bytes;
    std::size_t written;
  };

  int from_, to_;
  Clock::duration delay_;
  std::deque<Chunk> chunks_;
  std::size_t held_{0};
  bool ended_{false};
};

class Connection {
 public:
  Connection(FileHandle client, FileHandle server, Clock::duration there, Clock::duration back)
      : client_(std::move(client)),
        server_(std::move(server)),
        there_(client_.get(), server_.get(), there),
        back_(server_.get(), client_.get(), back) {}

  void add_to(std::vector<pollfd>& waited_for) const {
    waited_for.push_back(entry(client_, there_, back_));
    waited_for.push_back(entry(server_, back_, there_));
  }
  [[nodiscard]] Clock::time_point next() const { return std::min(there_.next(), back_.next()); }
  // Moves bytes in both directions. `client` and `server` are the results of poll. Returns false when
  // finished.
  bool move(short client, short server) {
    const auto now = Clock::now();
    if ((client & POLLIN) != 0 && !there_.read()) return false;
    if ((server & POLLIN) != 0 && !back_.read()) return false;
    if ((server & POLLOUT) != 0 && there_.wants_output(now) && !there_.write()) return false;
    if ((client & POLLOUT) != 0 && back_.wants_output(now) && !back_.write()) return false;
    const bool broken = ((client | server) & POLLERR) != 0;
    return !broken && !(there_.is_done() && back_.is_done());
  }

 private:
  static pollfd entry(const FileHandle& socket, const Direction& out_of_it, const Direction& into_it) {
    const int in = out_of_it.wants_input() ? POLLIN : 0;
    const int out = into_it.wants_output(Clock::now()) ? POLLOUT : 0;
    // A socket at its end would make poll return at once, repeatedly, until the end has been forwarded.
    return {(in | out) != 0 ? socket.get() : -1, static_cast<short>(in | out), 0};
  }

  FileHandle client_, server_;
  Direction there_, back_;
};

}  // namespace

struct DelayProxy::State {
  explicit State(Config with)
      : config(std::move(with)), listener(listen_at(config.listen_address)), end(::eventfd(0, EFD_CLOEXEC)) {}

  void run() {
    for (std::vector<pollfd> events = wait(); events[0].revents == 0; events = wait()) {
      auto event = events.cbegin() + 2;
      std::erase_if(connections, [&event](Connection& connection) {
        const short client = (event++)->revents;
        const short server = (event++)->revents;
        return !connection.move(client, server);
      });
      if (events[1].revents != 0) accept();
    }
  }

  std::vector<pollfd> wait() {
    std::vector<pollfd> events{{end.get(), POLLIN, 0}, {listener.get(), POLLIN, 0}};
    auto next = Clock::now() + std::chrono::seconds(60);
    for (const Connection& connection : connections) {
      connection.add_to(events);
      // Chunks that are already due wait for room on the other side, which poll reports.
      if (connection.next() > Clock::now()) next = std::min(next, connection.next());
    }
    const auto time = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now());
    ::poll(events.data(), events.size(), std::max(0, static_cast<int>(time.count())));
    return events;
  }

  void accept() {
    FileHandle client = accept_from(listener, {});
    FileHandle server = connect_to(config.server_address, config.server_port, std::chrono::seconds(5));
    if (client.valid() && server.valid()) {
      connections.emplace_back(std::move(client), std::move(server), config.delay,
                               config.back.value_or(config.delay));
    }
  }

  Config config;
  FileHandle listener;
  FileHandle end;  // readable when the thread must end
  std::list<Connection> connections;
  std::thread thread{[this] { run(); }};
};

DelayProxy::DelayProxy(Config config) : state_(std::make_unique<State>(std::move(config))) {}

DelayProxy::~DelayProxy() {
  ::eventfd_write(state_->end.get(), 1);
  state_->thread.join();
}

std::uint16_t DelayProxy::port() const { return port_of(state_->listener); }

}  // namespace eventspace::testing_hosts
