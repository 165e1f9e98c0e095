#pragma once

#include <cstdint>
#include <unordered_map>

#include "paths/links/link_listener.h"
#include "paths/wire/wire.h"

namespace eventspace {

/// The listeners of the targets that are open on a link's connection, by target. A listener may add and
/// remove listeners while it is called. Knows no network. Not thread-safe.
class TargetListeners {
 public:
  /// Replaces the listener of `target`, which is not owned; null removes it.
  void set(std::uint64_t target, LinkListener* listener);

  enum class Delivery : std::uint8_t {
    done,
    late,      ///< nothing listens to the target
    malformed  ///< cannot be decoded, or exceeds the grant
  };
  /// Passes on a message that is a push or a grant (wire::may_be_unasked).
  Delivery deliver(const wire::ParsedHeader& parsed);
  /// Removes all listeners and notifies each of the loss of the connection.
  void lose_all();

  [[nodiscard]] bool is_empty() const noexcept { return listeners_.empty(); }

 private:
  std::unordered_map<std::uint64_t, LinkListener*> listeners_;
};

}  // namespace eventspace
