#include "collectors/kinds/built_in_kinds.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>

#include <eventspace/operation.h>
#include "collectors/event_record.h"
#include "collectors/mpi/mpi_calls.h"
#include "collectors/mpi/mpi_requests.h"
#include "collectors/probe_record.h"
#include "collectors/pvm/pvm_calls.h"

namespace eventspace {
namespace {

template <class Number, std::size_t count>
std::array<std::string_view, count> words_from(std::size_t first) {
  std::array<std::string_view, count> words{};
  for (std::size_t i = first; i < count; ++i) words[i] = to_string(static_cast<Number>(i));
  return words;
}

std::span<const std::string_view> verb_words() {
  static const auto words = words_from<Verb, 7>(1);
  return words;
}

std::span<const std::string_view> mpi_class_words() {
  static const auto words = words_from<MpiClass, mpi_classes>(1);
  return words;
}

std::span<const std::string_view> pvm_class_words() {
  static const auto words = words_from<PvmClass, pvm_classes>(1);
  return words;
}

std::span<const std::string_view> encoding_words() {
  static const auto words = words_from<PvmEncoding, 5>(1);
  return words;
}

std::span<const std::string_view> status_words() {
  static const auto words = words_from<Status, 8>(0);
  return words;
}

constexpr std::array<std::string_view, 4> from_words{"oldest", "newest", "at", "after"};

EventField computed(std::string name, ValueType type, FieldSource source, std::string help) {
  return {std::move(name), type, source, NumberNames::none, std::move(help)};
}

EventField time_of(std::string name, FieldSource source, std::string help) {
  EventField field = computed(std::move(name), ValueType::number, source, std::move(help));
  field.in_expressions = false;
  field.orders = true;
  return field;
}

EventField ordering(EventField field) {
  field.orders = true;
  return field;
}

EventField text(std::string name, NumberNames names, std::string help) {
  return {std::move(name), ValueType::text, FieldSource::stored, names, std::move(help)};
}

// Not available in conditions: monitors show a place as function and line.
EventField site_field() {
  EventField site = text("site", NumberNames::sites, "the place in the program that made the call");
  site.in_expressions = false;
  return site;
}

EventField number(std::string name, std::string help) {
  return ordering(
      {std::move(name), ValueType::number, FieldSource::stored, NumberNames::none, std::move(help)});
}

}  // namespace

std::vector<EventField> built_in_fields() {
  std::vector<EventField> fields = {
      time_of("start", FieldSource::start, "when the event began"),
      time_of("end", FieldSource::end, "when it ended; missing while it is in flight"),
      ordering(computed("duration", ValueType::duration, FieldSource::duration,
                        "from start to end; missing while the event is in flight")),
      computed("age", ValueType::duration, FieldSource::age,
               "from the start to the reading of the process's clock at this pull"),
      computed("in_flight", ValueType::boolean, FieldSource::in_flight, "the event has begun and not ended"),
      computed("kind", ValueType::text, FieldSource::kind, "the kind of event"),
      ordering(text("thread", NumberNames::threads, "the thread that the event belongs to")),
      ordering(text("path", NumberNames::paths, "the path on which it was recorded")),
      text("point", NumberNames::words,
           "where on the path it was recorded: at its thread's end or at the "
           "element's"),
      text("verb", NumberNames::words, "what was done"),
      text("from", NumberNames::words, "where a read or take began to search"),
      text("status", NumberNames::words, "how it ended"),
      computed("process", ValueType::text, FieldSource::process,
               "the process that recorded it (`server@NODE` for a node's server)"),
      computed("node", ValueType::text, FieldSource::node, "the node of that process"),
      text("peer", NumberNames::threads,
           "the one other thread that uses the element; missing when there is none, or several"),
      number("bytes",
             "size of the encoded tuple; for an exchange, of the result; for a pull, of the records; for a "
             "call of MPI or PVM, of what the process sends, receives or contributes"),
      number("missed", "tuples that a read found discarded; trace elements that a pull could not read"),
      number("sequence", "number of the record in its trace element, from 1"),
      number("parameter",
             "the sequence number in the element that the operation touched, or the number of "
             "the collective operation or of the pull"),
      number("virtual_time", "a number set by the application, such as the step of its loop"),
      number("passage",
             "of a probe without a virtual time: how often its thread had passed the probe before, from 0"),
      text("probe", NumberNames::names, "the name that the program gave to the probe"),
  };
  for (std::size_t i = 1; i <= max_probe_values; ++i) {
    fields.push_back({fmt::format("value{}", i), ValueType::number, FieldSource::stored, NumberNames::none,
                      "a value that the program gave to the probe"});
  }
  const std::vector<EventField> of_mpi = {
      text("call", NumberNames::words, "the function of the message library (MPI, PVM) that was called"),
      text("communicator", NumberNames::communicators, "the communicator of the call"),
      number(
          "partner",
          "the rank in the communicator, or the task of PVM, that the call sends to or receives from, or the "
          "root of a collective operation; missing while any source will do"),
      number("tag", "the tag of the message"),
      number("ordinal", "the number of the collective operation on its communicator, from 1"),
      number(
          "request",
          "the number in its process of the request that the call makes, or of the first one that it starts "
          "or completes"),
      number("requests", "how many requests a call starts or completes, at most 255"),
      number(
          "calls",
          "how many calls the record stands for, of tests, probes and receives that found nothing, one after "
          "the other; missing in records of one call"),
      site_field(),
      number(
          "error",
          "the class of the error that the call returned; of PVM its number, without the sign; missing when "
          "there was none"),
  };
  fields.insert(fields.end(), of_mpi.begin(), of_mpi.end());
  const std::vector<EventField> of_pvm = {
      number("task", "the task of PVM that made the call"),
      number("tasks", "how many tasks a multicast goes to, or a barrier waits for"),
      text("group", NumberNames::names, "the group of tasks"),
      text("encoding", NumberNames::words, "how values are put into the message"),
      number("nested", "1 if another function of PVM made the call"),
  };
  fields.insert(fields.end(), of_pvm.begin(), of_pvm.end());
  return fields;
}

namespace {

EventKind operations() {
  EventKind operation;
  operation.number = operation_kind;
  operation.name = "operation";
  operation.help = "an operation on a path";
  operation.fields = {
      {.field = "verb", .word = 3, .shift = 12, .bits = 4, .words = verb_words()},
      {.field = "from", .word = 3, .shift = 28, .bits = 4, .words = from_words},
      {.field = "peer", .word = 3, .shift = 32, .bits = 32, .absent = no_peer},
      {.field = "bytes", .word = 5, .bits = 32},
      {.field = "status",
       .word = 5,
       .shift = 32,
       .bits = 8,
       .words = status_words(),
       .in_flight = static_cast<std::uint64_t>(Status::under_way)},
      {.field = "missed", .word = 5, .shift = 40, .bits = 24},
      {.field = "parameter", .word = 6},
      {.field = "virtual_time", .word = 7},
  };
  return operation;
}

EventKind probes() {
  static constexpr std::array<std::string_view, 3> verbs{"", "point", "region"};
  EventKind probe;
  probe.number = probe_kind;
  probe.name = "probe";
  probe.help = "a probe in the program's source code";
  probe.fields = {
      {.field = "verb", .word = 3, .shift = 12, .bits = 4, .words = verbs, .in_every_part = true},
      {.field = "probe", .word = 3, .shift = 32, .bits = 32, .in_every_part = true},
      {.field = "virtual_time", .word = 7, .bits = 63, .mark_bits = passage_mark, .in_every_part = true},
      {.field = "passage",
       .word = 7,
       .bits = 63,
       .absent = uncounted_passage & ~passage_mark,
       .mark_bits = passage_mark,
       .mark = passage_mark,
       .in_every_part = true}};
  for (std::size_t i = 0; i < max_probe_values; ++i) {
    const auto second = static_cast<std::uint8_t>(i % 2);
    probe.fields.push_back({.field = fmt::format("value{}", i + 1),
                            .word = static_cast<std::uint8_t>(5 + second),
                            .form_shift = static_cast<std::uint8_t>(28 + 2 * second),
                            .part = static_cast<std::uint8_t>(i / 2)});
  }
  return probe;
}

EventKind calls_of_mpi() {
  constexpr auto collectives = static_cast<std::uint16_t>(1U << static_cast<unsigned>(MpiClass::collective));
  constexpr auto looks = static_cast<std::uint16_t>(1U << static_cast<unsigned>(MpiClass::look));
  EventKind mpi;
  mpi.number = mpi_kind;
  mpi.name = "mpi";
  mpi.help = "a call of a function of MPI";
  mpi.fields = {
      {.field = "verb", .word = 3, .shift = 12, .bits = 4, .words = mpi_class_words()},
      {.field = "call", .word = 3, .shift = 32, .bits = 16, .words = mpi_call_names()},
      {.field = "site", .word = 3, .shift = 48, .bits = 16, .absent = 0},
      {.field = "bytes",
       .word = 5,
       .bits = 44,
       .classes = static_cast<std::uint16_t>(~looks),
       .is_begun = true},
      {.field = "calls", .word = 5, .bits = 32, .classes = looks},
      {.field = "requests", .word = 5, .shift = 48, .bits = 8, .absent = 0, .is_begun = true},
      {.field = "error", .word = 5, .shift = 56, .bits = 8, .absent = 0},
      {.field = "partner", .word = 6, .bits = 32, .absent = MpiCallRecord::none, .is_begun = true},
      {.field = "tag", .word = 6, .shift = 32, .bits = 32, .absent = MpiCallRecord::none, .is_begun = true},
      {.field = "communicator",
       .word = 7,
       .bits = 32,
       .absent = MpiCallRecord::no_communicator,
       .is_begun = true},
      {.field = "ordinal",
       .word = 7,
       .shift = 32,
       .bits = 32,
       .absent = 0,
       .classes = collectives,
       .is_begun = true},
      {.field = "request",
       .word = 7,
       .shift = 32,
       .bits = 32,
       .absent = 0,
       .classes = static_cast<std::uint16_t>(~(collectives | looks)),
       .is_begun = true},
  };
  mpi.continuations = mpi_parts::highest;
  return mpi;
}

EventKind calls_of_pvm() {
  constexpr auto looks = static_cast<std::uint16_t>(1U << static_cast<unsigned>(PvmClass::look));
  EventKind pvm;
  pvm.number = pvm_kind;
  pvm.name = "pvm";
  pvm.help = "a call of a function of PVM";
  pvm.fields = {
      {.field = "verb", .word = 3, .shift = 12, .bits = 4, .words = pvm_class_words()},
      {.field = "nested", .word = 3, .shift = 30, .bits = 1, .absent = 0},
      {.field = "call", .word = 3, .shift = 32, .bits = 16, .words = pvm_call_names()},
      {.field = "site", .word = 3, .shift = 48, .bits = 16, .absent = 0},
      {.field = "bytes",
       .word = 5,
       .bits = 32,
       .classes = static_cast<std::uint16_t>(~looks),
       .is_begun = true},
      {.field = "calls", .word = 5, .bits = 32, .classes = looks},
      {.field = "encoding",
       .word = 5,
       .shift = 40,
       .bits = 4,
       .words = encoding_words(),
       .absent = 0,
       .is_begun = true},
      {.field = "tasks", .word = 5, .shift = 44, .bits = 12, .absent = 0, .is_begun = true},
      {.field = "error", .word = 5, .shift = 56, .bits = 8, .absent = 0},
      {.field = "partner", .word = 6, .bits = 32, .absent = PvmCallRecord::none, .is_begun = true},
      {.field = "tag", .word = 6, .shift = 32, .bits = 32, .absent = PvmCallRecord::none, .is_begun = true},
      {.field = "task", .word = 7, .bits = 32, .absent = PvmCallRecord::no_task, .is_begun = true},
      {.field = "group", .word = 7, .shift = 32, .bits = 32, .absent = 0, .is_begun = true},
  };
  pvm.continuations = pvm_parts::highest;
  return pvm;
}

}  // namespace

std::vector<EventKind> built_in_kinds() {
  std::vector<EventKind> kinds;
  kinds.push_back(operations());
  kinds.push_back(probes());
  kinds.push_back(calls_of_mpi());
  kinds.push_back(calls_of_pvm());
  return kinds;
}

}  // namespace eventspace
