#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "paths/parameters/registry.h"
#include "paths/views/rank_set.h"
#include "scopes/streams/packets/packet.h"

/// Commands for internal processes, which are end-points, too: a stream whose members include them carries
/// commands to them, and their answers join the waves of the stream at their place in the tree.
///
///     const std::uint32_t stream = front_end.open({.members = front_end.internals(), .up = {{"max", {}}}});
///     front_end.send(stream, Format<std::string_view>::make(0, "load"), deadline);
///     const auto greatest_load = front_end.receive(stream, deadline);
namespace eventspace::streams {

/// The ranks of internal processes begin here; back-ends have smaller ones.
inline constexpr RankSet::Rank first_internal_rank = 1u << 30;
/// The rank of an internal process, by its number in the topology.
[[nodiscard]] constexpr RankSet::Rank rank_of_internal(std::uint32_t process) noexcept {
  return first_internal_rank + process;
}
/// All ranks that back-ends, or internal processes, can have.
[[nodiscard]] inline RankSet ranks_of_back_ends() { return RankSet::of_range(0, first_internal_rank - 1); }
[[nodiscard]] inline RankSet ranks_of_internals() {
  return RankSet::of_range(first_internal_rank, RankSet::most);
}

/// A packet that was addressed to an internal process and has reached it.
struct CommandCall {
  /// Its first value is the name of the command; the others are the command's arguments.
  const Packet& packet;
  std::uint32_t process{0};  ///< number of the internal process in the topology
  /// Sends a packet up in any stream that the process is a member of, in addition to the answer. May be
  /// stored, and called later by the thread of the internal process. Returns false if the stream is full, or
  /// does not exist. Not for streams that carry answers: the n-th packets of all end-points form a wave.
  std::function<bool(std::uint32_t stream, const Packet& packet)> send;
};

/// A command for internal processes. It is run by the thread that forwards packets, so it must be short and
/// must not wait.
struct Command {
  std::string name;
  std::string help;
  /// Returns the answer. An exception is answered by a packet with the tag `command_failed` and the reason as
  /// its only value. A filter that expects numbers refuses such a wave, which is an event of the front-end.
  std::function<Packet(const CommandCall& call)> run;
};

/// The name of the command that answers with a ProcessReport as text (report.h).
inline constexpr std::string_view report_command = "report";

/// The tag of an answer with the reason why a command failed; an unknown command is one.
inline constexpr std::int32_t command_failed = -1;

/// The commands of internal processes: the built-in ones, and commands that a program adds before it becomes
/// an internal process. See Registry about threads.
///
///     ping     answers with the same packet
///     report   answers with a ProcessReport as text (report.h)
///     process  answers (u32 number, text host, i32 process id, u32 threads) of the process
class CommandRegistry {
 public:
  static Registry<Command>& instance();
};

}  // namespace eventspace::streams
