#pragma once

#include <cstdint>
#include <string>

#include "paths/views/view.h"

/// Recordings: files that keep what a session's trace elements held while it was recorded.
/// scopes/recordings/recording_writer.h writes them, recording_reader.h reads them,
/// docs/recording-format.md specifies the bytes.
namespace eventspace {

/// What was recorded, and by which recorder.
struct RecordedSession {
  std::string session;
  /// The pathmap, whole, in one text without includes; empty: the session had none.
  std::string pathmap;
  /// The recorder's machine, as a node.
  std::string node;
  std::string program;          ///< version of the recorder
  std::int64_t begun_ns{0};     ///< CLOCK_MONOTONIC of the recorder; times in the file are on this clock
  std::int64_t realtime_ns{0};  ///< CLOCK_REALTIME when that clock was 0
  friend bool operator==(const RecordedSession&, const RecordedSession&) = default;
};

/// How a recording ended, if it ended in an orderly way, and what it did not get.
struct RecordedEnd {
  std::string reason;        ///< such as "stopped by a signal"
  std::int64_t ended_ns{0};  ///< on the recorder's clock
  std::uint64_t events{0};
  Loss loss{};
  friend bool operator==(const RecordedEnd&, const RecordedEnd&) = default;
};

}  // namespace eventspace
