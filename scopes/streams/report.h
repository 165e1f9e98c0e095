#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "paths/views/rank_set.h"
#include "scopes/streams/stream_options.h"

/// What the processes of a network say of themselves. The front-end gathers it through the tree
/// (FrontEnd::gather_report).
namespace eventspace::streams {

/// One stream in one process.
struct StreamReport {
  std::uint32_t stream{0};
  StreamCounters counters{};
  std::uint64_t waiting_up{0};    ///< packets that wait to go up or, in the front-end, for the user
  std::uint64_t waiting_down{0};  ///< packets that wait for the slowest child
  std::uint64_t unfinished{0};    ///< packets that wait for others of their waves
};

/// The front-end or an internal process.
struct ProcessReport {
  std::uint32_t process{0};  ///< number in the topology; 0 is the front-end
  std::string host{};
  std::int32_t pid{0};
  std::string endpoint{};      ///< where its children attach
  std::uint64_t malformed{0};  ///< messages of its peers that could not be read
  std::vector<StreamReport> streams{};
};

/// A report as one text, and back. Returns nothing if the text is no report: it comes from another process.
[[nodiscard]] std::string to_text(const ProcessReport& report);
[[nodiscard]] std::optional<ProcessReport> parse_process_report(std::string_view text);

struct NetworkReport {
  std::string network{};
  std::string topology{};                  ///< written out
  std::uint64_t back_ends{0};              ///< places for back-ends
  RankSet attached{};                      ///< the back-ends that are there
  RankSet internals{};                     ///< numbers of the internal processes that are there
  RankSet silent{};                        ///< those of them that did not answer in time
  std::vector<ProcessReport> processes{};  ///< in order of their numbers
};
[[nodiscard]] std::string to_text(const NetworkReport& report);
[[nodiscard]] std::optional<NetworkReport> parse_network_report(std::string_view text);

}  // namespace eventspace::streams
