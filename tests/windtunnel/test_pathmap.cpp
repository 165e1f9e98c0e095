#include "tests/windtunnel/test_pathmap.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

namespace eventspace::windtunnel {
namespace {

// Like pathmaps/examples/windtunnel.yaml, for any number of threads.
constexpr auto kApplication = R"(pathmap: 1
name: windtunnel-test
application:
  threads: ["t[0-{last}]", main]
  elements:
    - {{name: "progress/{{thread}}", for: "t*", tuple: [int, int], threshold: 200, when_full: discard}}
    - {{name: results, tuple: [int, int, bytes], threshold: 280}}
  generate:
    - neighbour-exchange:
        threads: "t*"
        wrap: true
        north: [n, ne, nw]
        south: [s, se, sw]
        tuple: [int, bytes]
        threshold: 2
  paths:
    - {{thread: "t*", name: progress, element: "progress/{{thread}}", use: write}}
    - {{thread: "t*", name: result, element: results, use: write}}
    - {{thread: main, name: results, element: results, use: read}}
collect:
  threshold: 200
  points:
    - {{threads: "t*", at: [thread]}}
    - {{threads: "t*", paths: "{{progress,result}}", at: [thread, element]}}
)";

class BoundSocket {
 public:
  BoundSocket() : descriptor_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::bind(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0)
      throw std::runtime_error("no port is free");
  }
  ~BoundSocket() { ::close(descriptor_); }
  BoundSocket(const BoundSocket&) = delete;
  BoundSocket& operator=(const BoundSocket&) = delete;

  std::uint16_t port() const {
    sockaddr_in address{};
    socklen_t size = sizeof(address);
    ::getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &size);
    return ntohs(address.sin_port);
  }

 private:
  int descriptor_;
};

std::string thread_range(std::size_t first, std::size_t last) {
  return fmt::format("\"t[{}-{}]\"", first, last);
}

}  // namespace

std::vector<std::uint16_t> free_ports(std::size_t count) {
  const std::vector<BoundSocket> sockets(count);
  std::vector<std::uint16_t> ports;
  ports.reserve(sockets.size());
  for (const auto& socket : sockets) ports.push_back(socket.port());
  return ports;
}

std::string test_pathmap(std::size_t threads, std::size_t processes, Borders borders) {
  const bool shared = borders == Borders::shared;
  const auto ports = free_ports(2 * processes);
  auto text = fmt::format(kApplication, fmt::arg("last", threads - 1));
  text += "cluster:\n  nodes:\n";
  for (std::size_t i = 0; i < (shared ? 1 : processes); ++i)
    text += fmt::format("    n{}: {{host: 127.0.0.1, port: {}}}\n", i, ports[i]);
  text += "placement:\n  elements:\n";
  text += fmt::format("    - {{elements: \"border/**\", with: reader{}}}\n", shared ? ", shared: 4KiB" : "");
  text += "    - {elements: results, with: reader}\n";
  text += "  processes:\n";
  for (std::size_t i = 0; i < processes; ++i)
    text += fmt::format("    p{0}: {{node: n{1}, port: {2}, threads: [{3}{4}]}}\n", i, shared ? 0 : i,
                        // In this case only the results of p0 are used through a server.
                        shared && i > 0 ? 0 : ports[processes + i],
                        thread_range(i * threads / processes, (i + 1) * threads / processes - 1),
                        i == 0 ? ", main" : "");
  return text;
}

}  // namespace eventspace::windtunnel
