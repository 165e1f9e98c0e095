#pragma once

// Private to pathmaps/.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pathmaps/expansion/draft.h"
#include "pathmaps/reading/mapping.h"
#include "scopes/tree/scope_tree.h"

namespace eventspace::expansion {

/// A scope wrapper with its parameters, complete and checked.
struct WrapperUse {
  std::string name;
  Parameters parameters;
};

/// What stands in one place of a scope's tree, a level or a node that is written out: the wrappers, and how
/// the first of them asks what is below.
struct ScopeWrapping {
  std::vector<WrapperUse> wrappers;    ///< in the order in which the data flows; the first combines
  std::chrono::nanoseconds timeout{};  ///< waited for at most; 0: as long as what is above has
  Asking asking{Asking::overlapped};
  std::uint32_t threads{1};
  WhenLate when_late{WhenLate::partial};
  std::chrono::nanoseconds longest_skip{std::chrono::seconds(10)};
  Place timeout_place;
  Place ask_place;
};

/// The keys `wrapper` or `wrappers`, `timeout`, `ask` and `late` of `mapping`, which is a `what` for faults.
/// `longest` is the time of the whole scope.
ScopeWrapping read_wrapping(const reading::Mapping& mapping, std::string_view what,
                            std::chrono::nanoseconds longest, const Draft& draft);

/// One wrapper; a fault when it is the `first` of its place and takes one source only.
std::optional<WrapperUse> read_wrapper(const reading::Value& value, bool first, const Draft& draft);

/// A time-out that what is above would not heed is a fault.
void check_timeout(const ScopeWrapping& above, const ScopeWrapping& below, Faults& faults);

/// What may stand for `first` over a part of its sources, so that the whole yields what it yields alone: the
/// wrapper itself if it is such that it can be repeated, else a gather.
WrapperUse in_parts(const WrapperUse& first, const Plan& plan);

}  // namespace eventspace::expansion
