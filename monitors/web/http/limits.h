#pragma once

#include <chrono>
#include <cstddef>

namespace eventspace::web {

/// The bounds of the server. docs/web.md lists the defaults; tests use smaller ones.
struct Limits {
  std::size_t header_bytes{std::size_t{8} * 1024};  ///< of a request, with its first line; else 431
  std::size_t body_bytes{std::size_t{64} * 1024};   ///< of a request; else 413
  std::size_t parameters{64};                       ///< of an address; else 400
  std::size_t connections{256};                     ///< further ones get 503
  std::size_t streams{64};                          ///< of all pages together; further ones get 503
  std::size_t streams_per_cookie{16};               ///< the same
  std::size_t cookies{64};                          ///< the least recently used one is dropped for a new one
  std::chrono::milliseconds request_time{10'000};   ///< for a request to arrive
  std::chrono::milliseconds idle_time{60'000};      ///< of a connection without a request
  std::chrono::milliseconds write_time{30'000};  ///< for a browser to accept an answer or a batch of events
  std::chrono::milliseconds heartbeat_time{15'000};  ///< between comment lines in a stream
  std::chrono::hours cookie_time{12};                ///< after its last use
};

}  // namespace eventspace::web
