#include "scopes/expressions/fields.h"

#include <array>

namespace eventspace::expressions {
namespace {

constexpr std::array<std::string_view, 7> verb_words{"",        "write", "read",    "take",
                                                     "discard", "pull",  "exchange"};
constexpr std::array<std::string_view, 8> status_words{"ok",        "under way", "empty",  "full",
                                                       "timed out", "gone",      "closed", "refused"};
constexpr std::array<std::string_view, 4> from_words{"oldest", "newest", "at", "after"};
constexpr std::array<std::string_view, 2> point_words{"thread", "element"};

constexpr std::array<FieldInfo, 17> fields{{{Field::duration, "duration", ValueType::duration},
                                            {Field::age, "age", ValueType::duration},
                                            {Field::in_flight, "in_flight", ValueType::boolean},
                                            {Field::verb, "verb", ValueType::text, verb_words},
                                            {Field::status, "status", ValueType::text, status_words},
                                            {Field::from, "from", ValueType::text, from_words},
                                            {Field::at, "at", ValueType::text, point_words},
                                            {Field::thread, "thread", ValueType::text},
                                            {Field::path, "path", ValueType::text},
                                            {Field::process, "process", ValueType::text},
                                            {Field::node, "node", ValueType::text},
                                            {Field::peer, "peer", ValueType::text},
                                            {Field::bytes, "bytes", ValueType::number},
                                            {Field::missed, "missed", ValueType::number},
                                            {Field::sequence, "sequence", ValueType::number},
                                            {Field::parameter, "parameter", ValueType::number},
                                            {Field::step, "step", ValueType::number}}};

}  // namespace

std::span<const FieldInfo> all_fields() noexcept { return fields; }
const FieldInfo& info_of(Field field) noexcept { return fields[static_cast<std::size_t>(field)]; }

std::optional<double> number_of(Field field, const ObservedEvent& event) noexcept {
  switch (field) {
    case Field::duration:
      return event.duration_ns();
    case Field::age:
      return event.ns_since_start();
    case Field::bytes:
      return event.record.bytes;
    case Field::missed:
      return event.record.missed;
    case Field::sequence:
      return static_cast<double>(event.record.sequence);
    case Field::parameter:
      return static_cast<double>(event.record.parameter);
    case Field::step:
      return static_cast<double>(event.record.virtual_time);
    default:
      return std::nullopt;
  }
}

unsigned word_of(Field field, const EventRecord& record) noexcept {
  switch (field) {
    case Field::verb:
      return static_cast<unsigned>(record.verb);
    case Field::status:
      return static_cast<unsigned>(record.status);
    case Field::from:
      return static_cast<unsigned>(record.from);
    default:
      return record.point;
  }
}

std::optional<std::uint32_t> name_number(Field field, const ObservedEvent& event) noexcept {
  switch (field) {
    case Field::thread:
      return event.record.thread;
    case Field::path:
      return event.record.path;
    case Field::peer:
      if (event.record.peer == no_peer) return std::nullopt;
      return event.record.peer;
    default:
      if (event.process == nullptr) return std::nullopt;
      return event.process->process;
  }
}

std::string_view name_of(Field field, std::uint32_t number, const PlanNames& names) {
  switch (field) {
    case Field::path:
      return names.path_name(number);
    case Field::process:
      return names.process_name(number);
    case Field::node:
      return names.node_of_process(number);
    default:
      return names.thread_name(number);
  }
}

}  // namespace eventspace::expressions
