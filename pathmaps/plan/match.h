#pragma once

#include <utility>
#include <variant>

namespace eventspace {

/// Calls the function in `cases` whose parameter has the type of the alternative that `variant` holds, and
/// returns its result. Every alternative needs a case. Cases must not take `auto`: then a new alternative of
/// the variant breaks the compilation of every match without a case for it.
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
