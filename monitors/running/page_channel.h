#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace eventspace {

/// The messages between `run --web` and the process of its page, over a socket that is the standard input of
/// that process. When one end is closed, or its process dies, the other ends, too.
///
///     run                          web
///      | <---- listens ------------- |   it has printed its addresses
///      | ----- ended --------------> |   the application has ended
///      | <---- stands -------------- |   the last look is taken, and shown from now on
///      | ----- (closed) -----------> |   ends
enum class PageMessage : std::uint8_t { listens = 'l', ended = 'e', stands = 's' };

/// Returns false if the other end is closed.
bool send_message(int socket, PageMessage message) noexcept;
/// Waits up to `patience` for a message. Returns nullopt if none arrives, or the other end is closed.
std::optional<PageMessage> receive_message(int socket, std::chrono::milliseconds patience) noexcept;

}  // namespace eventspace
