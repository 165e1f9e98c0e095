#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "tuplespace/system/mapping.h"

namespace eventspace::testing_hosts {

/// TCP over IPv4 by hand, in the namespace of the calling thread. What cannot be set up throws
/// std::system_error; what did not come about in time is an invalid handle.

FileHandle listen_at(const std::string& address, std::uint16_t port = 0);  ///< 0: any free port
std::uint16_t port_of(const FileHandle& socket);
FileHandle accept_from(const FileHandle& listener, std::chrono::milliseconds time);
FileHandle connect_to(const std::string& address, std::uint16_t port, std::chrono::milliseconds time);

void send_all(const FileHandle& socket, std::string_view bytes);
/// So many bytes, or fewer when the other side ends before, or half a minute has passed without any.
std::string receive(const FileHandle& socket, std::size_t bytes);

}  // namespace eventspace::testing_hosts
