#pragma once

#include <cstddef>
#include <string_view>

namespace eventspace {

/// Descriptors that ZeroMQ opens for one socket with a monitor and, with the first socket of a context, for
/// its threads.
inline constexpr std::size_t descriptors_of_a_socket = 12;

/// Whether the process can open `count` more descriptors now. Takes two system calls for each.
[[nodiscard]] bool can_open_descriptors(std::size_t count);

/// Throws EnvironmentError if the process cannot open `count` more descriptors; the text names the limit and
/// how to raise it. ZeroMQ ends the process if it runs out of descriptors, so check before a socket is made.
/// `what`: their purpose, such as "a connection to tcp://127.0.0.1:7101".
void require_descriptors(std::size_t count, std::string_view what);

}  // namespace eventspace
