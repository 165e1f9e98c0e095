#pragma once

// Private to scopes/.

#include <memory>

#include "scopes/streams/filters/filter.h"
#include "scopes/streams/filters/wave_rule.h"

namespace eventspace::streams {

struct MadeFilter {
  std::unique_ptr<Filter> filter;
  bool keeps_waves{true};  ///< FilterInfo::keeps_waves
};

/// Makes a filter as a stream names it: of this program, or of a shared object, which is loaded. It has a
/// thread of its own if it has a limit. Throws ConfigurationError with the reason: an unknown name, faulty
/// parameters, or a shared object that is not trusted (tuplespace/system/trusted_file.h), cannot be loaded or
/// has another version; EnvironmentError if too many filters hang in this process; and what the filter's
/// `make` throws. Thread-safe.
[[nodiscard]] MadeFilter make_any_filter(const FilterUse& use, const FilterPlace& place);

/// The same for a rule.
[[nodiscard]] std::unique_ptr<WaveRule> make_any_rule(const FilterUse& use);

}  // namespace eventspace::streams
