#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "scopes/record_processes.h"
#include "scopes/scope_builder.h"
#include "tuplespace/view.h"

namespace eventspace {

/// A consumer's end of an event scope: pulls views of the application. Any number of them can be open on
/// one application. Used by one thread.
class EventScope {
 public:
  /// Builds the tree's part that runs here; the parts on servers are opened at the first pull. Throws as
  /// build_scope does.
  EventScope(ScopeTree tree, const ScopeSurroundings& here);
  ~EventScope();
  EventScope(EventScope&& other) noexcept;

  struct Options {
    std::optional<Deadline>
        deadline{};            ///< nothing: as the time-out of the tree's root says; of one without: 1 s
    bool with_threads{false};  ///< also what the kernel says of each thread
  };
  /// One read through the scope. Never fails: what could not be read by the deadline is named in
  /// View::missing. A record of an unread-events scope is yielded once, also when a server restarts in
  /// between; a process that started anew meanwhile, too, is named, as the rest of its old run is lost.
  View pull(Options options);

  /// From the pull after the next on the scope is `tree`: another shape, placement or properties, more
  /// sources or fewer. No record is missed or repeated by it: the next pull, still through the old tree, also
  /// tells how far each source was read, and there the new one begins. Of a source that does not answer then
  /// it begins behind the last record of it that was yielded; what filters dropped since is looked at once
  /// more. Throws ConfigurationError as the constructor does, and then all stays as it is.
  void reconfigure(ScopeTree tree);

  [[nodiscard]] const ScopeTree& tree() const noexcept { return tree_; }

 private:
  [[nodiscard]] std::chrono::nanoseconds look_back();
  void perform(Operation& operation);
  void change_over(const View& last);
  void forget_starts();
  [[nodiscard]] std::vector<ReadPosition> positions_after(const View& last) const;
  void drop_repeated(View& view);
  [[nodiscard]] std::uint64_t doubt(const EventRecord& record);
  void name_forgotten(View& view);

  ScopeTree tree_;
  ScopeSurroundings here_;
  std::optional<ScopeTree> coming_;  // what reconfigure asked for
  std::unique_ptr<Stage> root_;
  std::size_t parts_;  // of the tree that run on servers and are asked from here
  std::uint64_t last_pull_{0};
  std::optional<std::chrono::steady_clock::time_point> first_pulled_;
  // The newest record yielded of each event collector. A later one with a lower number is of a process that
  // started anew; it can be told from a repeated one as it also started later, by the same clock.
  struct Position {
    std::uint64_t start{0};
    std::uint64_t sequence{0};
    std::uint64_t doubt{0};  ///< by how much the start can be wrong
    [[nodiscard]] bool starts_later(const Position& other) const noexcept {
      return start > other.start + other.doubt + doubt;
    }
    [[nodiscard]] bool comes_after(const Position& other) const noexcept {
      return starts_later(other) || (!other.starts_later(*this) && sequence > other.sequence);
    }
  };
  struct Seen {
    Position before;  ///< this pull
    Position newest;
  };
  std::unordered_map<std::uint64_t, Seen> seen_;  // by path and point

  // Whether synchronised times come, which are estimated anew for each pull.
  bool estimates_{false};
  RecordProcesses processes_;

  struct Run {
    std::int32_t pid{0};
    std::uint64_t start_ticks{0};
    friend bool operator==(const Run&, const Run&) = default;
  };
  std::unordered_map<std::uint32_t, std::vector<Run>> runs_;  // seen of each process, the latest ones
};

}  // namespace eventspace
