#pragma once

// Private to pathmaps/.

#include <utility>
#include <variant>

namespace eventspace {

/// Calls the case for the alternative that `variant` holds. Each alternative needs a case that takes exactly
/// this type: a new alternative does not compile until every match has a case for it. Do not write a case
/// that takes `auto`.
///
///     const std::string_view word = match(
///         thread.kind, [](const ApplicationThread&) { return "thread"; },
///         [](const JointUser&) { return "joint"; }, [](const PartUser&) { return "part of a scope"; });
template <class Variant, class... Cases>
decltype(auto) match(Variant&& variant, Cases&&... cases) {
  struct All : std::decay_t<Cases>... {
    using std::decay_t<Cases>::operator()...;
  };
  return std::visit(All{std::forward<Cases>(cases)...}, std::forward<Variant>(variant));
}

}  // namespace eventspace
