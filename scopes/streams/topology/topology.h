#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "paths/views/rank_set.h"

/// The trees of processes that carry streams, as data: the children of each process, its host, and the ranks
/// of the back-ends. It does no I/O.
namespace eventspace::streams {

/// The part of a process in a network of streams.
enum class Part : std::uint8_t {
  front_end,  ///< the root: the user's tool
  internal,   ///< forwards and combines
  back_end    ///< a leaf: an end-point with a rank
};

/// A process in a tree.
struct TreeProcess {
  static constexpr std::uint32_t none = 0xffff'ffff;

  Part part{Part::back_end};
  std::uint32_t parent{none};
  std::vector<std::uint32_t> children{};
  RankSet::Rank rank{0};      ///< of a back-end
  std::string host{};         ///< empty: not placed
  std::uint32_t instance{0};  ///< distinguishes the processes of one host

  [[nodiscard]] std::string name() const;  ///< "n1.site:3", as in a written topology
};

/// An error in the text of a topology.
struct TopologyFault {
  int line{1};
  int column{1};
  std::string text;
  friend bool operator==(const TopologyFault&, const TopologyFault&) = default;
};
/// "2:14: error: TEXT"
[[nodiscard]] std::string to_string(const TopologyFault& fault);

/// A tree of processes. Process 0 is the front-end; a parent has a smaller number than its children. The
/// ranks of back-ends are 0, 1, 2 ... from left to right, so that the ranks below each process are one range.
/// Immutable after construction, except for hosts.
class Topology {
 public:
  /// Limit for the processes of a tree, including the front-end.
  static constexpr std::size_t max_processes = 1u << 20;

  /// The front-end is the parent of all `back_ends`.
  static Topology flat(std::size_t back_ends);
  /// A process on level i has `fan_outs[i]` children; the last ones are the back-ends.
  static Topology balanced(std::span<const std::size_t> fan_outs);
  /// The fewest levels for `back_ends` such that no process has more than `fan_out` (at least 2) children,
  /// which are spread evenly.
  static Topology k_ary(std::size_t fan_out, std::size_t back_ends);
  /// The k-nomial tree of `processes`, including the front-end: broadcasts reach them in the fewest rounds in
  /// which each process that has the message sends k - 1 more. Processes without children are the back-ends.
  static Topology k_nomial(std::size_t k, std::size_t processes);
  /// The numbers of children of all processes, level by level from left to right. 0 makes a back-end;
  /// processes without a number (if the last level is missing) are back-ends, too.
  static Topology generic(const std::vector<std::vector<std::size_t>>& levels);
  // These functions throw ConfigurationError for sizes that are 0 or too large.

  /// Parses one of
  ///
  ///     flat:16        balanced:8x8x4     4^3         8x8x4
  ///     kary:8:200     (at most 8 children, 200 back-ends)
  ///     2@32           (k-nomial, of 32 processes)
  ///     generic:2:4,3  (two internal processes, of which one has 4 and one 3 back-ends)
  ///
  /// or a tree that is written out, with "#" before comments:
  ///
  ///     login.site:0 => n1:0 n2:0 ;
  ///     n1:0 => n1:1 n1:2 ;
  ///
  /// in which each HOST:NUMBER is one process and the process without a parent is the front-end. Returns all
  /// faults, if there are any.
  [[nodiscard]] static std::variant<Topology, std::vector<TopologyFault>> parse(std::string_view text);
  /// Like parse(), but throws ConfigurationError, which names `source` and lists all faults, one a line.
  [[nodiscard]] static Topology of_text(std::string_view text, std::string_view source = "topology");

  [[nodiscard]] std::span<const TreeProcess> processes() const noexcept { return processes_; }
  [[nodiscard]] const TreeProcess& at(std::size_t process) const { return processes_.at(process); }
  [[nodiscard]] std::size_t size() const noexcept { return processes_.size(); }
  [[nodiscard]] std::size_t back_ends() const noexcept { return by_rank_.size(); }
  [[nodiscard]] std::size_t internals() const noexcept { return size() - back_ends() - 1; }
  [[nodiscard]] std::size_t depth() const noexcept;  ///< links between the front-end and the farthest process
  [[nodiscard]] std::size_t max_children() const noexcept;
  /// The process of the back-end with this rank. Throws std::out_of_range.
  [[nodiscard]] std::uint32_t of_rank(RankSet::Rank rank) const { return by_rank_.at(rank); }
  /// The ranks of the back-ends below a process; for a back-end its own rank.
  [[nodiscard]] RankSet ranks_below(std::uint32_t process) const;

  /// Places the processes: the front-end on `front_end`, back-ends evenly on `back_ends` in rank order, and
  /// internal processes on `internals` in turn; if that is empty, each on the host of its first back-end.
  /// Throws ConfigurationError if `back_ends` is empty.
  void place(std::string_view front_end, std::span<const std::string> internals,
             std::span<const std::string> back_ends);

  /// The tree in written form, as parse() reads it. Unplaced processes are on host "any".
  [[nodiscard]] std::string to_text() const;

 private:
  friend class WrittenTopology;
  Topology() : processes_(1) { processes_.front().part = Part::front_end; }
  std::uint32_t add(std::uint32_t parent);
  void finish();

  std::vector<TreeProcess> processes_;
  std::vector<std::uint32_t> by_rank_;
};

/// Parses host names: one or more on a line, separated by blanks or commas, "#" before comments, with ranges
/// in brackets as batch systems write them: "n[1-3,07-09].site". A repeated name is returned as often. Throws
/// ConfigurationError with the place of a fault.
[[nodiscard]] std::vector<std::string> parse_hosts(std::string_view text, std::string_view source = "hosts");

}  // namespace eventspace::streams
