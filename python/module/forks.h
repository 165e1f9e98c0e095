#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

namespace eventspace::python {

/// How often this process was forked from one that had loaded the module: 0 in the first one.
[[nodiscard]] std::uint32_t fork_generation() noexcept;

/// An object that only the process that made it may use. A forked child shares its sockets, files in shared
/// memory and locks, which threads of the parent may hold; so use() throws there, and the object is never
/// destroyed.
template <class Object>
class OfThisProcess {
 public:
  template <class... Arguments>
  explicit OfThisProcess(std::in_place_t /*tag*/, Arguments&&... arguments)
      : object_(std::make_unique<Object>(std::forward<Arguments>(arguments)...)) {}
  OfThisProcess(OfThisProcess&& other) noexcept = default;
  OfThisProcess& operator=(OfThisProcess&& other) noexcept = default;
  ~OfThisProcess() {
    if (is_foreign()) (void)object_.release();
  }

  [[nodiscard]] bool is_foreign() const noexcept { return generation_ != fork_generation(); }
  [[nodiscard]] Object& use() const;

 private:
  std::unique_ptr<Object> object_;
  std::uint32_t generation_{fork_generation()};
};

/// Throws an Error: `what` belongs to the parent process.
[[noreturn]] void refuse_in_child(std::string_view what);

template <class Object>
Object& OfThisProcess<Object>::use() const {
  if (is_foreign()) refuse_in_child("this object");
  return *object_;
}

}  // namespace eventspace::python
