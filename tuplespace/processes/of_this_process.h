#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "tuplespace/system/forked_copy.h"

namespace eventspace {

/// How often this process and its ancestors were forked since the program, or the library with this function,
/// was loaded: 0 in the process that loaded it. Thread-safe.
[[nodiscard]] std::uint32_t fork_generation() noexcept;

/// An object that only the process that made it may use. A forked child shares its sockets, files in shared
/// memory and locks, which threads of the parent may hold; so it gets no access there, and the object is
/// never destroyed. As thread-safe as the object.
template <class Object>
class OfThisProcess {
 public:
  template <class... Arguments>
  explicit OfThisProcess(std::in_place_t /*tag*/, Arguments&&... arguments)
      : object_(std::make_unique<Object>(std::forward<Arguments>(arguments)...)) {}
  OfThisProcess(OfThisProcess&& other) noexcept = default;
  OfThisProcess& operator=(OfThisProcess&& other) = delete;
  ~OfThisProcess() {
    if (is_foreign()) leave_to_parent(object_);
  }

  [[nodiscard]] bool is_foreign() const noexcept { return generation_ != fork_generation(); }
  /// Null in a forked child.
  [[nodiscard]] Object* get() const noexcept { return is_foreign() ? nullptr : object_.get(); }

 private:
  std::unique_ptr<Object> object_;
  std::uint32_t generation_{fork_generation()};
};

}  // namespace eventspace
