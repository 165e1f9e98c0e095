// Broadcasts with a reduction, consecutive reductions, and start and end, of networks of streams whose
// back-ends are processes; compared with a star of plain TCP sockets, without framing, which is the floor,
// and a tree of plain ZeroMQ sockets of the same shape. Benchmarks are named FIGURE/ours and FIGURE/PEER.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
#include <zmq.hpp>

#include <eventspace/packet.h>
#include <eventspace/streams.h>
#include "bench/free_port.h"
#include "bench/interleaved.h"

namespace eventspace::bench {
namespace {

using streams::Topology;
using Number = streams::Format<std::int64_t>;
using std::chrono::seconds;

/// Processes of streams_peer, which end with the tree; waits for their end.
class Peers {
 public:
  Peers() = default;
  ~Peers() {
    for (const pid_t process : processes_) ::waitpid(process, nullptr, 0);
  }
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;

  void start(std::vector<std::string> words) {
    words.insert(words.begin(), "streams_peer");
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t started = 0;
    if (::posix_spawn(&started, STREAMS_PEER, nullptr, nullptr, arguments.data(), environ) != 0)
      throw std::runtime_error("cannot start " STREAMS_PEER);
    processes_.push_back(started);
  }

 private:
  std::vector<pid_t> processes_;
};

/// A network of streams with a sum.
class Ours {
 public:
  explicit Ours(const Topology& topology) : front_end_(std::make_unique<streams::FrontEnd>(topology)) {
    for (RankSet::Rank rank = 0; rank < topology.back_ends(); ++rank) {
      const streams::AttachPoint point = front_end_->attach_point(rank);
      peers_.start({"ours", point.network, point.endpoint, std::to_string(rank)});
    }
    if (!front_end_->wait_for(topology.back_ends(), Deadline::after(seconds(60))))
      throw std::runtime_error("not all back-ends have attached");
    stream_ = front_end_->open({.up = {{"sum", {}}}, .window = window});
    back_ends_ = static_cast<std::int64_t>(topology.back_ends());
  }

  void round_trips(std::size_t times) {
    for (std::size_t i = 0; i < times; ++i) {
      send();
      receive();
    }
  }
  void pipelined(std::size_t times) {
    std::size_t sent = 0;
    for (std::size_t received = 0; received < times; ++received) {
      while (sent < times && sent < received + window) {
        send();
        ++sent;
      }
      receive();
    }
  }

 private:
  const std::uint32_t window = streams::StreamOptions{}.window;

  void send() { (void)front_end_->send(stream_, Number::make(0, 1), Deadline::never()); }
  void receive() {
    const auto packet = front_end_->receive(stream_, Deadline::after(seconds(60)));
    if (!packet || streams::PacketView(*packet).number<std::int64_t>(0) != back_ends_)
      throw std::runtime_error(
          fmt::format("a wave is wrong: {}",
                      packet ? "missing " + packet->ranks.to_text(100) : std::string("no packet")));
  }

  Peers peers_;
  std::unique_ptr<streams::FrontEnd> front_end_;  // ends before waiting for its processes
  std::uint32_t stream_{0};
  std::int64_t back_ends_{0};
};

/// A star of TCP sockets.
class Star {
 public:
  explicit Star(std::size_t leaves) {
    const int listening = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(listening, reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
        ::listen(listening, 512) != 0 ||
        ::getsockname(listening, reinterpret_cast<sockaddr*>(&address), &size) != 0)
      throw std::runtime_error("cannot listen");
    for (std::size_t i = 0; i < leaves; ++i) {
      peers_.start({"tcp", std::to_string(ntohs(address.sin_port))});
      sockets_.push_back(::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC));
      const int yes = 1;
      ::setsockopt(sockets_.back(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    }
    ::close(listening);
  }
  ~Star() {
    for (const int socket : sockets_) ::close(socket);
  }
  Star(const Star&) = delete;
  Star& operator=(const Star&) = delete;

  void round_trips(std::size_t times) {
    std::array<char, 8> message{};
    for (std::size_t i = 0; i < times; ++i) {
      for (const int socket : sockets_) (void)::send(socket, message.data(), message.size(), 0);
      for (const int socket : sockets_) (void)::recv(socket, message.data(), message.size(), MSG_WAITALL);
    }
  }

 private:
  Peers peers_;
  std::vector<int> sockets_;
};

/// A tree of ZeroMQ sockets, over local sockets like ours.
class ZmqTree {
 public:
  explicit ZmqTree(const Topology& topology) : below_(context_, zmq::socket_type::router) {
    below_.set(zmq::sockopt::linger, 1000);
    below_.bind(endpoint(0));
    for (std::uint32_t i = 1; i < topology.size(); ++i) {
      const streams::TreeProcess& process = topology.at(i);
      if (process.part == streams::Part::back_end) {
        peers_.start({"zmq", endpoint(process.parent)});
      } else {
        peers_.start(
            {"zmq-inner", endpoint(process.parent), endpoint(i), std::to_string(process.children.size())});
      }
    }
    children_.resize(topology.at(0).children.size());
    for (zmq::message_t& child : children_) {
      zmq::message_t hello;
      if (!below_.recv(child) || !below_.recv(hello)) throw std::runtime_error("no child");
    }
  }
  ~ZmqTree() { send({}); }
  ZmqTree(const ZmqTree&) = delete;
  ZmqTree& operator=(const ZmqTree&) = delete;

  void round_trips(std::size_t times) {
    const std::array<char, 8> message{};
    zmq::message_t from;
    zmq::message_t answer;
    for (std::size_t i = 0; i < times; ++i) {
      send(message);
      for (std::size_t child = 0; child < children_.size(); ++child)
        (void)(below_.recv(from) && below_.recv(answer));
    }
  }

 private:
  void send(std::span<const char> message) {
    for (zmq::message_t& child : children_) {
      below_.send(zmq::buffer(child.data(), child.size()), zmq::send_flags::sndmore);
      below_.send(zmq::buffer(message.data(), message.size()), zmq::send_flags::none);
    }
  }
  [[nodiscard]] std::string endpoint(std::uint32_t process) const {
    return fmt::format("ipc://@eventspace-bench-{}-{}-{}", ::getpid(), static_cast<const void*>(this),
                       process);
  }

  Peers peers_;
  zmq::context_t context_;
  zmq::socket_t below_;
  std::vector<zmq::message_t> children_;
};

/// Makes a contestant at the first request.
template <class Contestant>
class Lazy {
 public:
  template <class Make>
  Contestant& get(Make make) {
    if (contestant_ == nullptr) contestant_ = make();
    return *contestant_;
  }

 private:
  std::unique_ptr<Contestant> contestant_;
};

/// The figures of one topology.
class Tree {
 public:
  explicit Tree(const std::string& text) : topology_(Topology::of_text(text)) {
    const std::string round_trip = "broadcast and sum, " + text;
    race_.add(round_trip + "/ours", [this](std::size_t times) { ours().round_trips(times); });
    race_.add(round_trip + "/TCP star", [this](std::size_t times) { star().round_trips(times); });
    race_.add(round_trip + "/ZeroMQ tree", [this](std::size_t times) {
      zmq_.get([this] { return std::make_unique<ZmqTree>(topology_); }).round_trips(times);
    });
    const std::string pipelined = "sums one behind the other, " + text;
    flow_.add(pipelined + "/ours", [this](std::size_t times) { ours().pipelined(times); });
    flow_.add(pipelined + "/TCP star round trip", [this](std::size_t times) { star().round_trips(times); });
    const std::string start = "start and end, " + text;
    start_.add(start + "/ours", [this](std::size_t times) { make<Ours>(times, topology_); });
    start_.add(start + "/TCP star", [this](std::size_t times) { make<Star>(times, topology_.back_ends()); });
    race_.register_benchmarks();
    flow_.register_benchmarks();
    start_.register_benchmarks();
  }

 private:
  template <class Contestant, class Argument>
  static void make(std::size_t times, const Argument& argument) {
    for (std::size_t i = 0; i < times; ++i) Contestant made(argument);
  }
  Ours& ours() {
    return ours_.get([this] { return std::make_unique<Ours>(topology_); });
  }
  Star& star() {
    return star_.get([this] { return std::make_unique<Star>(topology_.back_ends()); });
  }

  Topology topology_;
  Lazy<Ours> ours_;
  Lazy<Star> star_;
  Lazy<ZmqTree> zmq_;
  Interleaved race_{20, 20};
  Interleaved start_{5, 1};
  Interleaved flow_{5, 1024};  // many windows in a turn, or it would measure how a flow begins
};

const std::vector<std::unique_ptr<Tree>> trees = [] {
  std::vector<std::unique_ptr<Tree>> made;
  for (const char* const text : {"flat:4", "flat:16", "flat:64", "8x8", "4x4x4", "flat:256", "4x8x8"})
    made.push_back(std::make_unique<Tree>(text));
  return made;
}();

}  // namespace
}  // namespace eventspace::bench
