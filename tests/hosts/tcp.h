#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "tuplespace/system/mapping.h"

namespace eventspace::testing_hosts {

/// Helpers for TCP over IPv4, in the network namespace of the calling thread. They throw std::system_error if
/// a socket cannot be set up, and return an invalid handle on a timeout.

FileHandle listen_at(const std::string& address, std::uint16_t port = 0);  ///< 0 means any free port
std::uint16_t port_of(const FileHandle& socket);
FileHandle accept_from(const FileHandle& listener, std::chrono::milliseconds time);
FileHandle connect_to(const std::string& address, std::uint16_t port, std::chrono::milliseconds time);

void send_all(const FileHandle& socket, std::string_view bytes);
/// Receives up to `bytes` bytes; fewer if the other side closes, or after half a minute without data.
std::string receive(const FileHandle& socket, std::size_t bytes);

}  // namespace eventspace::testing_hosts
