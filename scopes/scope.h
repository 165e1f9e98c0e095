#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "collectors/event_record.h"
#include "paths/views/read_positions.h"
#include "paths/views/view.h"
#include "scopes/scope_builder.h"

namespace eventspace {

/// The consumer's end of an event scope. Each pull reads the scope's trace elements through its tree and
/// returns one view. Any number of scopes can be open on one application.
///
/// Not thread-safe: one thread uses a scope. Only pull() blocks, at most until its deadline.
/// pathmaps/sessions/consumer.h opens the scopes of a pathmap by name.
///
///     EventScope scope = consumer.open("heartbeat");
///     const View view = scope.pull({.deadline = Deadline::after(std::chrono::milliseconds(250))});
///     for (const TraceTuple& tuple : view.records) use(decode(tuple));
///     for (const Missing& missing : view.missing) report(missing.node, missing.what);
class EventScope {
 public:
  /// Makes the stages that run in this process; the first pull opens the parts that run on servers. The
  /// objects to which `here` points must outlive the scope. Throws ConfigurationError as build_scope does.
  EventScope(ScopeTree tree, const ScopeSurroundings& here);
  ~EventScope();
  EventScope(EventScope&& other) noexcept;

  struct Options {
    std::optional<Deadline> deadline{};  ///< none: after timeout()
    bool with_threads{false};            ///< fills ProcessReport::threads with the kernel's data
    /// When the pull happens on the timeline of the observed application: a scope with `since` reads from
    /// that long before its first pull. The default is now, by the steady clock. Set it in all pulls of a
    /// scope or in none.
    std::optional<std::chrono::steady_clock::time_point> at{};
    bool with_usage{false};      ///< fills ProcessReport::usage with the kernel's data
    bool with_in_flight{false};  ///< fills ProcessReport::in_flight, if unread events are read
  };
  /// Reads once through the scope. Sources that could not be read by the deadline are listed in
  /// View::missing; that is not an error.
  ///
  /// A pull of a subscription (ScopeTree::look) ends when there is news; an empty view means that nothing
  /// happened until the deadline.
  ///
  /// If the tree reads unread events, each record is returned once, even if a server restarts between two
  /// pulls. If the process that recorded it was restarted, too, the unread records of its old run may be
  /// lost; View::missing then lists the process, with MissingCause::restarted.
  View pull(Options options);

  /// Replaces the tree: the next pull still uses the old one, later pulls use `tree`. The new tree may have
  /// another shape, placement, properties or sources. The change neither loses, repeats nor recounts a
  /// record: views report how far each source was read, and the new tree continues there. Throws
  /// ConfigurationError as the constructor does; the scope is then unchanged.
  void reconfigure(ScopeTree tree);

  [[nodiscard]] const ScopeTree& tree() const noexcept { return tree_; }
  /// How long a pull without a deadline may take: the time-out of the tree's root, or 1 s if it has none.
  [[nodiscard]] std::chrono::nanoseconds timeout() const noexcept;

 private:
  [[nodiscard]] std::chrono::nanoseconds look_back(std::chrono::steady_clock::time_point now);
  void perform(Operation& operation);
  void change_over();
  [[nodiscard]] bool may_repeat(const View& view) const;
  void drop_repeated(View& view) const;
  [[nodiscard]] std::uint64_t yielded_before(const RecordHeader& record, const ReadPositions& now) const;
  void name_forgotten(View& view) const;

  ScopeTree tree_;
  ScopeSurroundings here_;
  std::optional<ScopeTree> coming_;  // the tree given to reconfigure()
  std::unique_ptr<Stage> root_;
  std::size_t parts_;  // parts of the tree that run on servers and are pulled directly from here
  std::uint64_t last_pull_{0};
  std::optional<std::chrono::steady_clock::time_point> first_pulled_;
  ReadPositions positions_;  // of all views returned
};

}  // namespace eventspace
