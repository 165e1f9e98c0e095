// The tracepoints of LTTng-UST that correspond to an event collector's record. LTTng includes this file
// several times, with different definitions of its macros.
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER eventspace_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "bench/collectors/lttng_tracepoints.h"

#if !defined(EVENTSPACE_LTTNG_TRACEPOINTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define EVENTSPACE_LTTNG_TRACEPOINTS_H

#include <lttng/tracepoint.h>

// clang-format off
LTTNG_UST_TRACEPOINT_EVENT(eventspace_bench, operation_begins,
  LTTNG_UST_TP_ARGS(uint32_t, thread, uint32_t, path, uint32_t, peer, uint16_t, point, uint8_t, verb, uint8_t, from),
  LTTNG_UST_TP_FIELDS(
    lttng_ust_field_integer(uint32_t, thread, thread)
    lttng_ust_field_integer(uint32_t, path, path)
    lttng_ust_field_integer(uint32_t, peer, peer)
    lttng_ust_field_integer(uint16_t, point, point)
    lttng_ust_field_integer(uint8_t, verb, verb)
    lttng_ust_field_integer(uint8_t, from, from)))

LTTNG_UST_TRACEPOINT_EVENT(eventspace_bench, operation_ends,
  LTTNG_UST_TP_ARGS(uint32_t, bytes, uint8_t, status, uint32_t, missed, uint64_t, parameter, uint64_t, virtual_time),
  LTTNG_UST_TP_FIELDS(
    lttng_ust_field_integer(uint32_t, bytes, bytes)
    lttng_ust_field_integer(uint8_t, status, status)
    lttng_ust_field_integer(uint32_t, missed, missed)
    lttng_ust_field_integer(uint64_t, parameter, parameter)
    lttng_ust_field_integer(uint64_t, virtual_time, virtual_time)))
// clang-format on

#endif

#include <lttng/tracepoint-event.h>
