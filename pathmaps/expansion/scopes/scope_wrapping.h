#pragma once

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

/// A scope wrapper with its parameters, which are checked and include defaults.
struct WrapperUse {
  std::string name;
  Parameters parameters;
};

/// The wrappers of a level, or of a node under `tree:`, and the way in which the first of them pulls from the
/// nodes below it.
struct ScopeWrapping {
  std::vector<WrapperUse> wrappers;    ///< in the order in which the data flows; the first combines
  std::chrono::nanoseconds timeout{};  ///< the longest wait; 0 means as long as the node above waits
  Asking asking{Asking::overlapped};
  std::uint32_t threads{1};
  WhenLate when_late{WhenLate::partial};
  std::chrono::nanoseconds longest_skip{std::chrono::seconds(10)};
  Place timeout_place;
  Place ask_place;
};

/// Reads the keys `wrapper` or `wrappers`, `timeout`, `ask` and `late` of `mapping`. `what` names the kind of
/// mapping in faults. `longest` is the `timeout:` of the scope.
ScopeWrapping read_wrapping(const reading::Mapping& mapping, std::string_view what,
                            std::chrono::nanoseconds longest, const Draft& draft);

/// Reads a wrapper. `first`: it is the first of a level or node, so it must combine several sources; if it
/// takes one source only, that is a fault.
std::optional<WrapperUse> read_wrapper(const reading::Value& value, bool first, const Draft& draft);

/// Reports a timeout of `below` if `above` has `late: wait`: the timeout could not take effect.
void check_timeout(const ScopeWrapping& above, const ScopeWrapping& below, Faults& faults);

/// Returns the wrapper for a level below the level of `first`, which sees a subset of its sources, such that
/// `first` over the partial views yields the same as over all sources: `first` itself if it can be repeated,
/// otherwise a gather.
WrapperUse in_parts(const WrapperUse& first, const Plan& plan);

}  // namespace eventspace::expansion
