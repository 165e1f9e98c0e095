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
  /// The maximum difference between the times of day of the recorders' machines. Used only if the clocks of
  /// the recordings cannot be related in another way, and then kept as a bound of their times. Without it,
  /// such recordings are refused.
  std::optional<std::chrono::nanoseconds> clocks_within{};
  /// Time from one state of all to the next.
  std::chrono::nanoseconds state_every = std::chrono::seconds(1);
};

/// Merges recordings of different nodes of one run: writes all of them to `writer` like one recorder that had
/// pulled from all nodes every 20 ms, on the clock of the first. Events of one trace element keep their
/// order; losses, missing parts and bounds of clocks are kept, and the bounds of the relations between the
/// recordings' clocks are added. Memory: a second of events, a million at most.
///
/// `writer` must have been made for merged_session(), with the names of the first replay. Throws
/// ConfigurationError with the two recordings and the reason if they do not belong together: sessions or
/// pathmaps differ, they were not made at the same time, their clocks cannot be related, both have events of
/// one process, or they have different names for one number. Throws EnvironmentError as RecordingWriter does.
void merge_recordings(std::span<Replay* const> recordings, const MergeSettings& settings,
                      RecordingWriter& writer);

/// The session of the merged recording: begins with the earliest, on the clock of the first. Throws as
/// merge_recordings does.
RecordedSession merged_session(std::span<Replay* const> recordings, const MergeSettings& settings,
                               std::string program);

}  // namespace eventspace
