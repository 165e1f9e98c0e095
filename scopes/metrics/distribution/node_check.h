#pragma once

// Private to scopes/.

#include "scopes/metrics/distribution/division.h"

namespace eventspace::metrics {

/// Whether a server can evaluate a node that a client sent. The number and types of its operands, which have
/// passed this check, must fit its kind; its type must follow from them; and its numbers must be numbers of
/// parameters, variables, counters and samplers of `definition`. Samplers that the node uses must be
/// complete.
bool is_sound(const TypedNode& node, const Definition& definition);
/// The same for samplers, streams and other parts that consist of sound nodes.
bool is_sound_sampler(const Sampler& sampler, const Definition& definition);
bool is_sound_stream(const Part& part, const Definition& definition);
bool is_sound_collection(const Part& part, const Definition& definition);

}  // namespace eventspace::metrics
