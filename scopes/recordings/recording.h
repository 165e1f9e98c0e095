#pragma once

#include <cstdint>
#include <string>

#include "paths/views/view.h"

/// Recordings: files with the contents of a session's trace elements while it was recorded.
/// scopes/recordings/recording_writer.h writes them, recording_reader.h reads them, docs/recording-format.md
/// specifies the bytes.
namespace eventspace {

/// The recorded session, and its recorder.
struct RecordedSession {
  std::string session;
  /// The whole pathmap, in one text without includes; empty if the session did not have one.
  std::string pathmap;
  /// The recorder's machine, as a node.
  std::string node;
  std::string program;          ///< version of the recorder
  std::int64_t begun_ns{0};     ///< CLOCK_MONOTONIC of the recorder; times in the file are on this clock
  std::int64_t realtime_ns{0};  ///< CLOCK_REALTIME when that clock was 0
  /// Identifies that clock: the same for all recorders since one start of one machine; empty if unknown.
  std::string clock{};
  std::uint64_t run{0};   ///< a random number, shared by the parts of one recording
  std::uint32_t part{0};  ///< from 1; 0: the recording is one file
  /// Records in earlier parts, which may have been removed since.
  std::uint64_t records_before{0};
  friend bool operator==(const RecordedSession&, const RecordedSession&) = default;
};

/// How a recording ended, if it ended in an orderly way, and its losses.
struct RecordedEnd {
  std::string reason;        ///< such as "stopped by a signal"
  std::int64_t ended_ns{0};  ///< on the recorder's clock
  std::uint64_t events{0};
  Loss loss{};
  friend bool operator==(const RecordedEnd&, const RecordedEnd&) = default;
};

}  // namespace eventspace
