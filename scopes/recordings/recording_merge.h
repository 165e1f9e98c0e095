#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "scopes/recordings/recording_writer.h"
#include "scopes/recordings/replay.h"

namespace eventspace {

/// How recordings are merged.
struct MergeSettings {
  /// The times of day of the recorders' machines differ by at most this; used only where recordings were made
  /// on clocks that have no other relation, and then kept as a bound of their times. None: these are refused.
  std::optional<std::chrono::nanoseconds> clocks_within{};
  /// From one state of all to the next.
  std::chrono::nanoseconds state_every = std::chrono::seconds(1);
};

/// Merges recordings of different nodes of one run: writes all of them to `writer` as one recorder that had
/// pulled from all nodes every 20 ms would have, on the clock of the first. Events of one trace element stay
/// in their order; losses, missing parts and bounds of clocks are kept, and those of the relation between the
/// recordings' clocks are added. Memory: a second of events, a million at most.
///
/// `writer` must have been made for merged_session(), with the names of the first replay. Throws
/// ConfigurationError, which says which two recordings and why, if they do not belong together: sessions or
/// pathmaps differ, they were not made at the same time, their clocks cannot be related, both have events of
/// one process, or they have different names for one number. Throws EnvironmentError as RecordingWriter does.
void merge_recordings(std::span<Replay* const> recordings, const MergeSettings& settings,
                      RecordingWriter& writer);

/// What the merged recording is of: begins with the earliest, on the clock of the first. Throws as
/// merge_recordings does.
RecordedSession merged_session(std::span<Replay* const> recordings, const MergeSettings& settings,
                               std::string program);

}  // namespace eventspace
