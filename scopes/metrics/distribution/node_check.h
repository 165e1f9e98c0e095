#pragma once

// Private to scopes/.

#include "scopes/metrics/distribution/division.h"

namespace eventspace::metrics {

/// Whether a server can evaluate a node that was sent to it: its operands, which have passed this check, are
/// as many and of the types that its kind needs, its type is the one that follows, and its numbers are of the
/// parameters, variables, counters and samplers of `definition`. Samplers that the node uses must be
/// complete.
bool is_sound(const TypedNode& node, const Definition& definition);
/// The same for what is made of sound nodes.
bool is_sound_sampler(const Sampler& sampler, const Definition& definition);
bool is_sound_stream(const Part& part, const Definition& definition);
bool is_sound_collection(const Part& part, const Definition& definition);

}  // namespace eventspace::metrics
