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
/// Front-ends pass it to back-ends as text, in an argument, a file or the variable EVENTSPACE_STREAM. The
/// text has a line for each process at which back-ends attach, with the ranks for which it has places and,
/// for a network with keys, the file with the keys:
///
///     tools ipc:///run/user/1000/eventspace/1a2b.socket 0-7
///     tools tcp://n2.site:40123 8-15 /run/user/1000/eventspace/tools.4711.keys
///
/// The text is not secret; the file with the keys is (mode 0600).
struct AttachPoint {
  std::string network;   ///< the network's name
  std::string endpoint;  ///< of the process that becomes the parent: "ipc://PATH" or "tcp://HOST:PORT"
  /// The rank to attach as; nullopt: the parent assigns a free one.
  std::optional<RankSet::Rank> rank{};
  std::filesystem::path keys{};  ///< a file with the network's keys; empty: no keys

  static constexpr const char* variable = "EVENTSPACE_STREAM";

  /// The point as a line of the text, without a line break.
  [[nodiscard]] std::string to_text() const;
  /// Finds the place of `rank` in a text. Without a rank, the text's only rank is used, or else the process
  /// of the first line assigns one. Throws ConfigurationError, which names `source`, for an invalid text or a
  /// rank without a place.
  [[nodiscard]] static AttachPoint of_text(std::string_view text, std::optional<RankSet::Rank> rank = {},
                                           std::string_view source = "attach point");
  /// Reads the text from the environment. Also throws ConfigurationError if it is not set.
  [[nodiscard]] static AttachPoint from_environment(std::optional<RankSet::Rank> rank = {});
};

/// The attach points that a text offers to a back-end: the place of this rank, if the text has it; without a
/// rank, one for each line. Throws ConfigurationError, which names `source`, for an invalid text.
[[nodiscard]] std::vector<AttachPoint> attach_points(std::string_view text,
                                                     std::optional<RankSet::Rank> rank = {},
                                                     std::string_view source = "attach point");
/// A line of the text: all ranks that attach at one endpoint.
[[nodiscard]] std::string attach_line(const AttachPoint& point, const RankSet& places);

}  // namespace eventspace::streams
