#pragma once

// The fields of the chunks of a recording that are not events.

#include "paths/wire/fields.h"
#include "scopes/pulls/view_layout.h"
#include "scopes/recordings/recording.h"
#include "scopes/recordings/recording_format.h"

namespace eventspace::wire {

/// A time in nanoseconds, with room for sums.
using RecordedTime = Between<-recording::most_ns, recording::most_ns>;

template <>
struct Layout<RecordedSession>
    : Array<RecordedSession, Field<&RecordedSession::session>, Field<&RecordedSession::pathmap>,
            Field<&RecordedSession::node>, Field<&RecordedSession::program>,
            Field<&RecordedSession::begun_ns, RecordedTime>,
            Field<&RecordedSession::realtime_ns, RecordedTime>, Field<&RecordedSession::clock>,
            Field<&RecordedSession::run>, Field<&RecordedSession::part>,
            Field<&RecordedSession::records_before, AddedLater<Integer>>> {};  // in format 3

template <>
struct Layout<RecordedEnd>
    : Array<RecordedEnd, Field<&RecordedEnd::reason>, Field<&RecordedEnd::ended_ns, RecordedTime>,
            Field<&RecordedEnd::events>, Field<&RecordedEnd::loss>> {};

using RecordedNames = List<Flattened, recording::max_names>;

}  // namespace eventspace::wire
