#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "monitors/heartbeat/heartbeat_pace.h"

namespace eventspace::web {

/// A report: the page of a recording in one file, which any browser opens without a server.
struct ReportSettings {
  std::filesystem::path recording;
  std::string name{};  ///< in the page; empty: the file's name
  HeartbeatPace::Wishes pace{};
  std::size_t most_bytes{std::size_t{10} << 20};  ///< of the file; operations beyond are in bins
};

/// A finished report, and facts about it for the user.
struct ReportMade {
  std::string page{};  ///< the text of the file
  std::uint64_t operations{0};
  std::int64_t finest_ns{
      0};  ///< operations are not shown by themselves, but in bins of this width; 0: they are
  std::size_t parts_left_out{0};  ///< tables of threads and matrices of communicators that do not fit
};

/// Reads the recording. Throws EnvironmentError if it cannot be read, and FaultyPathmap for its pathmap.
ReportMade make_report(const ReportSettings& settings);

}  // namespace eventspace::web
