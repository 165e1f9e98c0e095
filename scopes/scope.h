#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "collectors/event_record.h"
#include "paths/views/read_positions.h"
#include "paths/views/view.h"
#include "scopes/scope_builder.h"

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
    /// When the pull happens on the timeline of what is observed: a scope with `since` reads from so long
    /// before its first pull. Nothing: now, by the steady clock. Either all pulls of a scope say it or none.
    std::optional<std::chrono::steady_clock::time_point> at{};
  };
  /// One read through the scope. Never fails: what could not be read by the deadline is named in
  /// View::missing. A record of an unread-events scope is yielded once, also when a server restarts in
  /// between; a process that started anew meanwhile, too, is named, as the rest of its old run is lost.
  View pull(Options options);

  /// From the pull after the next on the scope is `tree`: another shape, placement or properties, more
  /// sources or fewer. No record is missed, repeated or counted twice by it: views tell how far each source
  /// was read, and there the new tree begins. Throws ConfigurationError as the constructor does, and then all
  /// stays as it is.
  void reconfigure(ScopeTree tree);

  [[nodiscard]] const ScopeTree& tree() const noexcept { return tree_; }
  /// What a pull without a deadline may take.
  [[nodiscard]] std::chrono::nanoseconds timeout() const noexcept;

 private:
  [[nodiscard]] std::chrono::nanoseconds look_back(std::chrono::steady_clock::time_point now);
  void perform(Operation& operation);
  void change_over();
  void drop_repeated(View& view) const;
  [[nodiscard]] std::uint64_t yielded_before(const EventRecord& record, const ReadPositions& now) const;
  void name_forgotten(View& view) const;

  ScopeTree tree_;
  ScopeSurroundings here_;
  std::optional<ScopeTree> coming_;  // what reconfigure asked for
  std::unique_ptr<Stage> root_;
  std::size_t parts_;  // of the tree that run on servers and are asked from here
  std::uint64_t last_pull_{0};
  std::optional<std::chrono::steady_clock::time_point> first_pulled_;
  ReadPositions positions_;  // of all that was yielded
};

}  // namespace eventspace
