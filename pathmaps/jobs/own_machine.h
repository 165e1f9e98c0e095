#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace eventspace {

/// Returns 16 hexadecimal digits that are the same for all processes of this user that find the same
/// segments: a hash of the boot of the kernel and of the directory of segments. Two containers with separate
/// shared memory are two machines. Throws EnvironmentError if that directory is unavailable.
std::string own_machine();

/// Returns the IPv4 addresses of this machine at which others may reach it: $EVENTSPACE_ADDRESS if set,
/// otherwise the addresses of its active network interfaces; the loopback address only if it is the only one.
/// Throws EnvironmentError if they cannot be determined, ConfigurationError if the variable is not an
/// address.
std::vector<std::string> own_addresses();

/// Returns a TCP port that is currently free on this machine: `wish` if that is free and not 0. Throws
/// EnvironmentError if there is none.
std::uint16_t find_free_port(std::uint16_t wish = 0);

}  // namespace eventspace
