#pragma once

// Private to pathmaps/.

#include <cstdint>
#include <string>
#include <vector>

namespace eventspace {

/// Returns 16 hexadecimal digits that are the same for all processes of this user that find the same
/// segments: a hash of the boot of the kernel and of the directory of segments. Two containers with shared
/// memory of their own are two machines. Throws EnvironmentError if that directory cannot be had.
std::string own_machine();

/// Returns the IPv4 addresses of this machine at which others may reach it: $EVENTSPACE_ADDRESS if that is
/// set, else those of its network interfaces that are up; the loopback address only if there is no other.
/// Throws EnvironmentError if they cannot be found out, ConfigurationError if the variable is no address.
std::vector<std::string> own_addresses();

/// Returns a TCP port that is free on this machine at the moment: `wish` if it is, and is not 0. Throws
/// EnvironmentError if there is none.
std::uint16_t find_free_port(std::uint16_t wish = 0);

}  // namespace eventspace
