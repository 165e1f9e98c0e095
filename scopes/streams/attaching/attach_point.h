#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "paths/views/rank_set.h"

namespace eventspace::streams {

/// Where a process attaches to a network of streams. An attach point is valid as long as the network.
///
/// Front-ends hand it to back-ends as text, in an argument, a file or the variable EVENTSPACE_STREAM. The
/// text has a line for each process to which back-ends attach, with the ranks that it has places for and,
/// for a network with keys, the file that holds them:
///
///     tools ipc:///run/user/1000/eventspace/1a2b.socket 0-7
///     tools tcp://n2.site:40123 8-15 /run/user/1000/eventspace/tools.4711.keys
///
/// The text is no secret; the file with the keys is (mode 0600).
struct AttachPoint {
  std::string network;   ///< the network's name
  std::string endpoint;  ///< of the process that becomes the parent: "ipc://PATH" or "tcp://HOST:PORT"
  /// The rank to attach as; without it, the parent gives one of those that it has free.
  std::optional<RankSet::Rank> rank{};
  std::filesystem::path keys{};  ///< a file with the network's keys; empty: it has none

  static constexpr const char* variable = "EVENTSPACE_STREAM";

  /// The point as a line of the text, without a line break.
  [[nodiscard]] std::string to_text() const;
  /// Finds the place of `rank` in a text. Without a rank it is the text's, if that has only one, or else a
  /// rank that the process of the first line gives. Throws ConfigurationError, which names `source`, for a
  /// faulty text or a rank that has no place.
  [[nodiscard]] static AttachPoint of_text(std::string_view text, std::optional<RankSet::Rank> rank = {},
                                           std::string_view source = "attach point");
  /// The same for the text in the environment. Throws ConfigurationError, too, if it is not set.
  [[nodiscard]] static AttachPoint from_environment(std::optional<RankSet::Rank> rank = {});
};

/// Where a back-end may attach, of a text: at the place of this rank, if the text has it; without a rank, at
/// each of its lines. Throws ConfigurationError, which names `source`, for a faulty text.
[[nodiscard]] std::vector<AttachPoint> attach_points(std::string_view text,
                                                     std::optional<RankSet::Rank> rank = {},
                                                     std::string_view source = "attach point");
/// A line of the text: all ranks that attach at one endpoint.
[[nodiscard]] std::string attach_line(const AttachPoint& point, const RankSet& places);

}  // namespace eventspace::streams
