#pragma once

#include <map>
#include <string>

#include <eventspace/stream_filter.h>
#include "paths/pushes.h"
#include "scopes/streams/node_link.h"

namespace eventspace::streams {

/// A child of a process, and the link to it.
struct ChildLink {
  ChildLink(bool& any_marked, std::string where, bool has_children)
      : link(any_marked), endpoint(std::move(where)), is_process(has_children) {}

  NodeLink link;
  std::string endpoint;  ///< where its children attach; empty: it has none, or they may not attach elsewhere
  bool is_process;       ///< it has children
  bool is_out{false};    ///< disconnected: its messages are ignored
};

/// The children of a process. Numbers are not reused. References to a child are valid until it is removed.
///
/// Invariant: if a link is marked, take_mark() returns true. Not thread-safe.
class ChildLinks {
 public:
  ChildLinks() = default;
  ChildLinks(const ChildLinks&) = delete;
  ChildLinks& operator=(const ChildLinks&) = delete;

  /// Adds a child, whose link is connected. `outlet` is valid until remove().
  Child add(PushOutlet& outlet, const std::string& endpoint, bool is_process);
  void remove(Child child) { children_.erase(child); }
  /// Null for an unknown child.
  [[nodiscard]] ChildLink* find(Child child);
  [[nodiscard]] ChildLink& at(Child child) { return children_.at(child); }
  /// Whether a link may have been marked since the last call.
  [[nodiscard]] bool take_mark() noexcept { return std::exchange(any_marked_, false); }
  /// Whether control frames are queued for a child.
  [[nodiscard]] bool has_control() const;
  void post_to_all(const Frame& frame);

  [[nodiscard]] auto begin() noexcept { return children_.begin(); }
  [[nodiscard]] auto end() noexcept { return children_.end(); }

 private:
  bool any_marked_{false};  // the links refer to it
  Child next_{0};
  std::map<Child, ChildLink> children_;
};

}  // namespace eventspace::streams
