#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "collectors/event_record.h"
#include "scopes/tree/observed_event.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// "340ns", "1.2us", "35ms", "12.3s", "2min 5s": rounded to three digits, for text.
std::string short_duration(std::chrono::nanoseconds duration);
/// The same for a sum of nanoseconds, which may exceed the range of a duration; 0 if it is negative.
std::string duration_of_ns(double ns);
/// "512 B", "3.4 KiB", "1.2 MiB".
std::string short_size(std::uint64_t bytes);
/// "12.5", "61910712", "7.1e+17": six digits, or all digits before the point; never "-0".
std::string number_text(double number);
/// "2026-11-20T18:47:37.123456789Z"
std::string format_realtime(std::int64_t realtime_ns);
/// "take receive/north/s from t16": the verb, the path and the peer of an operation; "region solve" for a
/// probe; for an event of another kind, its kind and path.
std::string describe_operation(const EventRecord& record, const PlanNames& names);
/// The same; for a probe its name and values: "iteration_end iteration=12 residual=0.5".
std::string describe_event(const ObservedEvent& event, const PlanNames& names);
/// Whether describe_event() shows this field of events of this kind. Pure.
bool is_described(std::uint8_t kind, std::string_view field);
/// `text` as one CSV value: escaped (tuplespace/system/plain_text.h), so that it is on one line, and quoted
/// if necessary.
std::string csv_value(const std::string& text);

}  // namespace eventspace
