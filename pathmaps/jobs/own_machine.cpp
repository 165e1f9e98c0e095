#include "pathmaps/jobs/own_machine.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>

#include <eventspace/error.h>
#include "pathmaps/jobs/job_node.h"
#include "tuplespace/processes/process_origin.h"
#include "tuplespace/system/fnv.h"
#include "tuplespace/system/mapping.h"
#include "tuplespace/system/plain_text.h"
#include "tuplespace/system/session_files.h"

namespace eventspace {
namespace {

std::string text_of_address(const in_addr& address) {
  std::array<char, INET_ADDRSTRLEN> text{};
  return ::inet_ntop(AF_INET, &address, text.data(), text.size());
}

std::vector<std::string> addresses_of_interfaces() {
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0)
    throw EnvironmentError::from_errno("cannot list the network interfaces", errno);
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> list(first, ::freeifaddrs);
  std::vector<std::string> found;
  for (const ifaddrs* one = first; one != nullptr && found.size() < max_job_addresses; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    if ((one->ifa_flags & IFF_UP) == 0 || (one->ifa_flags & IFF_LOOPBACK) != 0) continue;
    found.push_back(text_of_address(reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr));
  }
  return found;
}

bool try_port(std::uint16_t wish, std::uint16_t& found) {
  const FileHandle socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;  // like the server: connections of an earlier server may linger
  if (socket.valid()) (void)::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(wish);
  socklen_t bytes = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (!socket.valid() || ::bind(socket.get(), any, bytes) != 0 ||
      ::getsockname(socket.get(), any, &bytes) != 0)
    return false;
  found = ntohs(address.sin_port);
  return true;
}

}  // namespace

std::string own_machine() {
  const auto directory = segment_directory();
  struct stat status {};
  if (::stat(directory.c_str(), &status) != 0)
    throw EnvironmentError::from_errno(fmt::format("cannot inspect {}", directory.string()), errno);
  const std::string all = fmt::format("{} {} {}", boot_id(), status.st_dev, status.st_ino);
  return fmt::format("{:016x}", fnv1a<std::uint64_t>(all));
}

std::vector<std::string> own_addresses() {
  const char* const given = std::getenv("EVENTSPACE_ADDRESS");
  if (given != nullptr && *given != '\0') {
    in_addr binary{};
    if (::inet_pton(AF_INET, given, &binary) != 1)
      throw ConfigurationError(fmt::format(
          "EVENTSPACE_ADDRESS is '{}'; expected an IPv4 address of this machine", escaped(given)));
    return {given};
  }
  auto found = addresses_of_interfaces();
  if (found.empty()) found.emplace_back("127.0.0.1");
  return found;
}

std::uint16_t find_free_port(std::uint16_t wish) {
  std::uint16_t port = 0;
  if (wish != 0 && try_port(wish, port)) return port;
  if (!try_port(0, port)) throw EnvironmentError::from_errno("cannot find a free port", errno);
  return port;
}

}  // namespace eventspace
