#pragma once

#include <memory>

#include <eventspace/stream_filter.h>
#include <eventspace/streams.h>

namespace eventspace::streams {

struct MadeFilter {
  std::unique_ptr<Filter> filter;
  bool keeps_waves{true};  ///< FilterInfo::keeps_waves
};

/// Makes a filter as a stream names it: from this program, or from a shared object, which is loaded. If it
/// has a limit, it runs in a thread of its own. Throws ConfigurationError with the reason: an unknown name,
/// invalid parameters, or a shared object that is not trusted (tuplespace/system/trusted_file.h), cannot be
/// loaded or has another version; EnvironmentError if too many filters hang in this process; and exceptions
/// of the filter's `make`. Thread-safe.
[[nodiscard]] MadeFilter make_any_filter(const FilterUse& use, const FilterPlace& place);

/// Makes a rule in the same way.
[[nodiscard]] std::unique_ptr<WaveRule> make_any_rule(const FilterUse& use);

}  // namespace eventspace::streams
