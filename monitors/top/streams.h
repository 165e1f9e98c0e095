#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "monitors/streams/asked_networks.h"

namespace eventspace::top {

/// One stream of a network of streams, in all its processes; or a network without streams.
struct StreamState {
  std::string network;
  std::int32_t pid{0};       ///< of the front-end
  std::string silence{};     ///< why the front-end does not answer; the rest is unknown then
  std::size_t back_ends{0};  ///< places for them
  std::size_t attached{0};
  std::size_t silent{0};  ///< internal processes that have not answered
  std::optional<std::uint32_t> stream{};
  std::uint64_t waves{0};    ///< that the front-end has received
  std::uint64_t partial{0};  ///< thereof with missing end-points
  std::uint64_t lost{0};     ///< packets that were dropped, late or refused, and waves that filters refused
  std::uint64_t waiting{0};  ///< packets, anywhere
  std::optional<double> waves_per_second{};
  std::optional<double> bytes_per_second{};                 ///< of packets that all processes receive
  std::optional<std::chrono::nanoseconds> synchronising{};  ///< mean time that a wave waits in the front-end
  std::optional<std::chrono::nanoseconds> filtering{};      ///< mean time of all filters for a wave
};

/// Converts reports of networks to states, with rates since the previous look. Does no I/O; not thread-safe.
class StreamWatch {
 public:
  using Time = std::chrono::steady_clock::time_point;

  [[nodiscard]] std::vector<StreamState> observe(const std::vector<FoundNetwork>& networks, Time now);

 private:
  struct Before {
    std::uint64_t waves{0};
    std::uint64_t bytes{0};
    Time at;
  };
  using Key = std::tuple<std::string, std::int32_t, std::uint32_t>;  // network, pid, stream

  void add_stream(const FoundNetwork& network, const streams::StreamReport& at_front_end, Time now,
                  StreamState& state);

  std::map<Key, Before> before_;
  std::map<Key, Before> seen_;  // by this look
};

}  // namespace eventspace::top
