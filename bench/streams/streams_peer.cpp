// A process of a tree that streams_benchmark measures; ends with its parent. Answers each message of 8 bytes
// with 8 bytes.
//
//     streams_peer ours NETWORK ENDPOINT RANK       a back-end
//     streams_peer tcp PORT                         a leaf of a star of TCP sockets
//     streams_peer zmq ENDPOINT                     a leaf of a tree of ZeroMQ sockets
//     streams_peer zmq-inner ABOVE ENDPOINT LEAVES  an inner process of it
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>
#include <zmq.hpp>

#include <eventspace/packet.h>
#include <eventspace/streams.h>
#include "bench/run_program.h"

namespace eventspace::bench {
namespace {

using Words = std::vector<std::string>;
using Number = streams::Format<std::int64_t>;

int run_ours(const Words& words) {
  const streams::AttachPoint point{words.at(1), words.at(2),
                                   static_cast<RankSet::Rank>(std::stoul(words.at(3)))};
  streams::BackEnd back_end(point, Deadline::after(std::chrono::seconds(60)));
  while (const auto received = back_end.receive(Deadline::never()))
    back_end.answer(*received, Number::make(0, 1), Deadline::never());
  return 0;
}

int run_tcp(const Words& words) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoul(words.at(1))));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int yes = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    throw std::runtime_error("cannot connect");
  std::array<char, 8> message{};
  while (::recv(socket, message.data(), message.size(), MSG_WAITALL) == 8)
    (void)::send(socket, message.data(), message.size(), MSG_NOSIGNAL);
  ::close(socket);
  return 0;
}

zmq::socket_t connected(zmq::context_t& context, const std::string& endpoint) {
  zmq::socket_t socket(context, zmq::socket_type::dealer);
  socket.set(zmq::sockopt::linger, 0);
  socket.connect(endpoint);
  socket.send(zmq::message_t(), zmq::send_flags::none);  // to announce itself
  return socket;
}

// The end of the tree is an empty message.
int run_zmq(const Words& words) {
  zmq::context_t context;
  zmq::socket_t above = connected(context, words.at(1));
  for (zmq::message_t message; above.recv(message) && !message.empty();)
    above.send(message, zmq::send_flags::none);
  return 0;
}

std::vector<zmq::message_t> wait_for_children(zmq::socket_t& below, std::size_t count) {
  std::vector<zmq::message_t> children(count);
  for (zmq::message_t& child : children) {
    zmq::message_t hello;
    if (!below.recv(child) || !below.recv(hello)) throw std::runtime_error("no child");
  }
  return children;
}

void send_all(zmq::socket_t& below, std::vector<zmq::message_t>& children, const zmq::message_t& message) {
  for (zmq::message_t& child : children) {
    below.send(zmq::buffer(child.data(), child.size()), zmq::send_flags::sndmore);
    below.send(zmq::buffer(message.data(), message.size()), zmq::send_flags::none);
  }
}

int run_zmq_inner(const Words& words) {
  zmq::context_t context;
  zmq::socket_t below(context, zmq::socket_type::router);
  below.bind(words.at(2));
  auto children = wait_for_children(below, std::stoul(words.at(3)));
  zmq::socket_t above = connected(context, words.at(1));
  zmq::message_t message;
  while (above.recv(message)) {
    const bool ends = message.empty();
    send_all(below, children, message);
    if (ends) break;
    zmq::message_t from;
    zmq::message_t answer;
    for (std::size_t i = 0; i < children.size(); ++i) (void)(below.recv(from) && below.recv(answer));
    above.send(answer, zmq::send_flags::none);
  }
  return 0;
}

int run(const Words& words) {
  if (words.at(0) == "ours") return run_ours(words);
  if (words.at(0) == "tcp") return run_tcp(words);
  return words.at(0) == "zmq" ? run_zmq(words) : run_zmq_inner(words);
}

}  // namespace
}  // namespace eventspace::bench

int main(int count, char** words) {
  return eventspace::bench::run_program("streams_peer", [&] {
    return eventspace::bench::run(std::vector<std::string>(words + 1, words + count));
  });
}
