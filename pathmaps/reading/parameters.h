#pragma once

#include <optional>
#include <vector>

#include "pathmaps/reading/document.h"
#include "paths/parameters/parameters.h"

namespace eventspace::reading {

/// A wrapper or generator in a pathmap: NAME, or {NAME: {PARAMETER: VALUE, ...}}.
struct Named {
  Word name;
  const Value* parameters;  ///< null if there are none
};
std::optional<Named> read_named(const Value& value, std::string_view what, Faults& faults);

/// Checks the parameters of `named` against `specs` and fills in defaults. Reports each fault at its place;
/// returns nothing if there was any.
std::optional<Parameters> read_parameters(const Named& named, const std::vector<ParameterSpec>& specs,
                                          Faults& faults);

}  // namespace eventspace::reading
