#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <eventspace/stream_network.h>

namespace eventspace::streams {

/// The description that a launched process of a network reads from its standard input: its part, and the
/// processes that it has to start itself. Each process gets the whole tree and starts its own children, so
/// starting a network takes as many steps as the tree has levels.
///
/// As text, it consists of lines of words; the keys, if any, and the tree come last:
///
///     eventspace-streams 2
///     network NAME
///     process NUMBER
///     parent ENDPOINT
///     listen tcp               (or local)
///     internal WORD            for each word of the command
///     back-end WORD            for each word of the command
///     launcher WORD            for each word of the command that starts commands on other hosts
///     launch HOST              such a command for one host, and
///     launch-word WORD         its words
///     patience NANOSECONDS
///     session NAME             (if back-ends attach to a session)
///     keys LINE                for each line of the keys
///     tree LINE                for each line of the topology
///
/// A sheet may hold secrets: overwrite() the text after use.
struct StartSheet {
  std::string network;
  std::uint32_t process{0};  ///< number in the topology
  std::string parent{};      ///< where it attaches
  LaunchOptions options{};
  std::string keys{};      ///< as text; empty: none
  std::string topology{};  ///< written out, so that all processes derive the same numbers from it
};

[[nodiscard]] std::string to_text(const StartSheet& sheet);
/// Throws ConfigurationError, which names the line, for an invalid text.
[[nodiscard]] StartSheet parse_start_sheet(std::string_view text);

}  // namespace eventspace::streams
