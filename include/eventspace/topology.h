#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <eventspace/rank_set.h>

/// The trees of processes that carry streams, as data: the children of each process, its host, and the ranks
/// of the back-ends; and sets of their end-points, by which streams name their members.
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

// --- end-points

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

/// Selects end-points of a network as members of streams: sets of ranks by host, label or expression, which
/// can be combined (|, & and - of RankSet) and named. It does no I/O.
///
///     EndPoints end_points(front_end.topology());
///     end_points.label(*RankSet::parse("0-7"), "role", "solver");
///     end_points.name("upper", end_points.where("role == 'solver' and rank >= 4"));
///     const std::uint32_t stream = front_end.open({.members = end_points.set("upper") - sick});
///     front_end.set_members(stream, end_points.on_host("n[1-4].site"));
///
/// Not thread-safe.
class EndPoints {
 public:
  explicit EndPoints(const Topology& topology);
  EndPoints(EndPoints&& other) noexcept;
  EndPoints& operator=(EndPoints&& other) noexcept;
  ~EndPoints();

  [[nodiscard]] const RankSet& back_ends() const noexcept;
  [[nodiscard]] const RankSet& internals() const noexcept;

  /// The back-ends on hosts whose names match a pattern such as "n[1-4].*". Throws ConfigurationError for an
  /// invalid pattern.
  [[nodiscard]] RankSet on_host(std::string_view pattern) const;

  /// Gives end-points a label, which replaces one of the same name. `name` is a word of letters, digits and
  /// '_' that begins with a letter and differs from all fields; throws ConfigurationError otherwise.
  void label(const RankSet& ranks, std::string_view name, std::string_view value);
  /// The end-points whose label `name` matches a pattern.
  [[nodiscard]] RankSet labelled(std::string_view name, std::string_view pattern) const;

  /// The end-points for which a condition holds, in the expression language (docs/expressions.md). Its fields
  /// are
  ///
  ///     rank      number          for a back-end; missing for internal processes
  ///     process   number          in the topology
  ///     host      text            its place, empty if it has none
  ///     level     number          links to the front-end
  ///     internal  true or false   whether it is an internal process
  ///
  /// and the labels, as texts. A label that an end-point does not have is missing, and comparisons with it
  /// are false. Throws ConfigurationError, with the column, for a malformed condition.
  [[nodiscard]] RankSet where(std::string_view condition) const;

  /// Gives a set a name. Throws ConfigurationError if the name is empty or begins with a digit.
  void name(std::string_view name, RankSet members);
  /// A named set; "all" is the set of all back-ends. Throws ConfigurationError with the known names.
  [[nodiscard]] const RankSet& set(std::string_view name) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The groups of a session: named sets of end-points that all programs of this user on this machine share.
/// They are stored in a file of this user's runtime directory (mode 0600), as lines "NAME RANKS", until they
/// are removed or the machine restarts. Ranks are those in a network over the session's processes.
///
///     StoredGroups groups("solver");
///     groups.store("upper", end_points.set("upper"));
///     front_end.set_members(stream, groups.find("upper"));
///
/// Each function reads the file. Changes are atomic, also with respect to other programs. Thread-safe.
/// Functions throw EnvironmentError if the file cannot be read or written.
class StoredGroups {
 public:
  static constexpr std::size_t max_groups = 1000;
  static constexpr std::size_t longest_name = 63;  ///< bytes

  explicit StoredGroups(std::string_view session);

  /// Stores a set under a name; an existing one is replaced. Throws ConfigurationError if the name is not a
  /// letter followed by letters, digits, '.', '-' and '_', is too long, or is "all"; if the set is empty; or
  /// if there are too many groups.
  void store(std::string_view name, const RankSet& ranks) const;
  /// Returns whether the group existed.
  bool remove(std::string_view name) const;
  /// Throws ConfigurationError, with the known names, if the group does not exist.
  [[nodiscard]] RankSet find(std::string_view name) const;
  [[nodiscard]] std::map<std::string, RankSet, std::less<>> all() const;

 private:
  std::filesystem::path file_;
  std::string session_;
};

}  // namespace eventspace::streams
