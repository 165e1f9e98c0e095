#pragma once

#include <memory>

namespace eventspace {

/// Gives up an object in a forked child, without destroying it. The child lacks the parent's other threads,
/// which may hold the object's locks or wait for its conditions, so that destroying it could block without
/// end; and its files and sockets belong to the parent.
template <class T>
void leave_to_parent(std::unique_ptr<T>& copy) noexcept {
  [[maybe_unused]] static T* volatile left = nullptr;  // where leak checkers find it
  left = copy.release();
}

}  // namespace eventspace
