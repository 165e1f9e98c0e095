#pragma once

// Private to pathmaps/.

#include <optional>
#include <vector>

#include "pathmaps/reading/document.h"
#include "paths/parameters/parameters.h"

namespace eventspace::reading {

/// A registered name with its parameters, as pathmaps spell wrappers and generators: NAME or {NAME: {...}}.
struct Named {
  Word name;
  const Value* parameters;  ///< null when there are none
};
std::optional<Named> read_named(const Value& value, std::string_view what, Faults& faults);

/// The parameters of `named` as `specs` want them, with the defaults filled in; every fault in its place.
/// Nothing when there was any.
std::optional<Parameters> read_parameters(const Named& named, const std::vector<ParameterSpec>& specs,
                                          Faults& faults);

}  // namespace eventspace::reading
