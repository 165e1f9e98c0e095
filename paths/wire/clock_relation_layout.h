#pragma once

// Also used by scopes/. The fields of a ClockRelation.

#include "paths/views/clock_relation.h"
#include "paths/wire/fields.h"

namespace eventspace::wire {

struct DriftPpm {
  static constexpr double least = -5e5;  ///< ClockRelation::there divides by the rate, 1 + drift
  static constexpr double most = 1e6;
};
struct GrowthPpm {
  static constexpr double least = 0;
  static constexpr double most = DriftPpm::most;
};

template <>
struct Layout<ClockRelation>
    : Array<ClockRelation, Field<&ClockRelation::known>, Field<&ClockRelation::jumps>,
            Field<&ClockRelation::reference_ns>, Field<&ClockRelation::offset_ns>,
            Field<&ClockRelation::drift_ppm, RealIn<DriftPpm>>, Field<&ClockRelation::error_ns, NotNegative>,
            Field<&ClockRelation::growth_ppm, RealIn<GrowthPpm>>, Field<&ClockRelation::covered_since_ns>,
            Field<&ClockRelation::covered_error_ns, NotNegative>, Field<&ClockRelation::bounded_since_ns>> {};

}  // namespace eventspace::wire
