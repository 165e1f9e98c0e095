#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "paths/views/rank_set.h"
#include "scopes/streams/filters/filter_counters.h"
#include "scopes/streams/packets/load.h"
#include "scopes/streams/stream_options.h"

/// Reports of the processes of a network on themselves. The front-end gathers them through the tree
/// (FrontEnd::gather_report).
namespace eventspace::streams {

/// One filter of one stream in one process.
struct FilterReport {
  std::string name{};
  bool down{false};
  FilterCounters counters{};
};

/// One stream in one process.
struct StreamReport {
  std::uint32_t stream{0};
  Synchronise synchronise{Synchronise::wait_for_all};
  WhenFull when_full{WhenFull::wait};  ///< the cause of StreamCounters::dropped
  StreamCounters counters{};
  Load waiting_up{};    ///< packets that are queued to go up or, in the front-end, for the user
  Load waiting_down{};  ///< packets that wait for the slowest child
  Load unfinished{};    ///< packets that wait for other packets of their waves
  std::vector<FilterReport> filters{};

  /// The time that its filters have taken together.
  [[nodiscard]] std::uint64_t filtering_ns() const noexcept;
};

/// The front-end or an internal process.
struct ProcessReport {
  std::uint32_t process{0};  ///< number in the topology; 0 is the front-end
  std::string host{};
  std::int32_t pid{0};
  std::string endpoint{};      ///< where its children attach
  std::uint64_t malformed{0};  ///< messages of its peers that were invalid
  std::vector<StreamReport> streams{};
};

/// A report as one text, and back. Returns nullopt for an invalid text: it comes from another process.
[[nodiscard]] std::string to_text(const ProcessReport& report);
[[nodiscard]] std::optional<ProcessReport> parse_process_report(std::string_view text);

struct NetworkReport {
  std::string network{};
  std::string topology{};                  ///< written out
  std::uint64_t back_ends{0};              ///< places for back-ends
  RankSet attached{};                      ///< the attached back-ends
  RankSet internals{};                     ///< numbers of the attached internal processes
  RankSet silent{};                        ///< numbers of internal processes that did not answer in time
  std::vector<ProcessReport> processes{};  ///< in order of their numbers
};
[[nodiscard]] std::string to_text(const NetworkReport& report);
[[nodiscard]] std::optional<NetworkReport> parse_network_report(std::string_view text);

}  // namespace eventspace::streams
