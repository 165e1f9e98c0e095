#pragma once

// The fields of the description of metrics that clients send to servers.

#include "paths/wire/fields.h"
#include "scopes/metrics/distribution/parts_description.h"

namespace eventspace::wire {

using metrics::CutRegions;
using metrics::PartsDescription;

template <>
struct Layout<PartsDescription::Pattern>
    : Array<PartsDescription::Pattern, Field<&PartsDescription::Pattern::parameter>,
            Field<&PartsDescription::Pattern::glob>> {};

template <>
struct Layout<PartsDescription::Measured>
    : Array<PartsDescription::Measured,
            Field<&PartsDescription::Measured::text, Text<PartsDescription::max_text>>,
            Field<&PartsDescription::Measured::each>, Field<&PartsDescription::Measured::objects>,
            Field<&PartsDescription::Measured::cut, OneOf<CutRegions::partly, CutRegions::left_out>>> {};

template <>
struct Layout<PartsDescription>
    : Array<PartsDescription, Constant<PartsDescription, metrics::description_version>,
            Field<&PartsDescription::metrics>, Field<&PartsDescription::start_ns>,
            Field<&PartsDescription::fingerprint>> {};

}  // namespace eventspace::wire
