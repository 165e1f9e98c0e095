#include "monitors/export/sinks/ctf_metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "tuplespace/system/plain_text.h"

namespace eventspace::exports {
namespace {

constexpr std::string_view head = R"(/* CTF 1.8 */

typealias integer {{ size = 8; align = 8; signed = false; }} := uint8_t;
typealias integer {{ size = 16; align = 8; signed = false; }} := uint16_t;
typealias integer {{ size = 32; align = 8; signed = false; }} := uint32_t;
typealias integer {{ size = 32; align = 8; signed = true; }} := int32_t;
typealias integer {{ size = 64; align = 8; signed = false; }} := uint64_t;
typealias integer {{ size = 64; align = 8; signed = true; }} := int64_t;
typealias floating_point {{ exp_dig = 11; mant_dig = 53; align = 8; }} := double;

trace {{
  major = 1;
  minor = 8;
  uuid = "{uuid}";
  byte_order = {order};
  packet.header := struct {{ uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; }};
}};

env {{
  tracer_name = "eventspace";
  session = "{session}";
  recorded_on = "{node}";
  recorded_by = "{program}";
}};

clock {{
  name = monotonic;
  description = "CLOCK_MONOTONIC of the recorder's machine";
  freq = 1000000000;
  offset_s = {offset_s};
  offset = {offset};
}};

typealias integer {{ size = 64; align = 8; signed = false; map = clock.monotonic.value; }} := time_t64;

stream {{
  id = 0;
  packet.context := struct {{
    time_t64 timestamp_begin;
    time_t64 timestamp_end;
    uint64_t content_size;
    uint64_t packet_size;
    uint64_t packet_seq_num;
    uint64_t events_discarded;
  }};
  event.header := struct {{ uint16_t id; time_t64 timestamp; }};
  event.context := struct {{
    uint32_t track;
    int32_t vpid;
    string node;
    string process;
    string thread;
    uint32_t lane;
  }};
}};

event {{
  name = "lost";
  id = {lost};
  stream_id = 0;
  fields := struct {{ uint64_t records; time_t64 since; }};
}};

event {{
  name = "counter";
  id = {counter};
  stream_id = 0;
  fields := struct {{ string name; uint64_t value; string unit; }};
}};
)";

// Fields have an underscore in front, which readers remove, because some names are keywords.
std::string fields_text(std::uint8_t kind) {
  static constexpr std::array<std::array<std::string_view, 2>, 3> types{
      {{"uint64_t", ""}, {"int64_t", "_integer"}, {"double", "_real"}}};
  std::string text;
  for (const CtfField& field : ctf_fields(kind)) {
    const std::string& name = EventKinds::instance().field(field.field).name;
    if (field.is_text) text += fmt::format("    string _{};\n", name);
    for (const CtfNumber number : field.numbers) {
      const auto& [type, suffix] = types.at(static_cast<std::size_t>(number));
      text += fmt::format("    uint8_t __{0}{1}_length;\n    {2} _{0}{1}[__{0}{1}_length];\n", name, suffix,
                          type);
    }
  }
  return text;
}

std::string event_text(const EventKind& kind, CtfEdge edge, std::string_view word,
                       const std::string& fields) {
  return fmt::format(R"(
event {{
  name = "{}:{}";
  id = {};
  stream_id = 0;
  fields := struct {{
    string _name;
{}  }};
}};
)",
                     kind.name, word, ctf_event(kind.number, edge), fields);
}

// Quotes the text as in C: quotes and backslashes are escaped.
std::string quoted_text(std::string_view text) {
  std::string quoted;
  for (const char c : escaped(text)) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted;
}

std::string in_words(const CtfUuid& uuid) {
  std::string text;
  for (std::size_t i = 0; i < uuid.size(); ++i)
    text += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
  return text;
}

}  // namespace

std::vector<CtfField> ctf_fields(std::uint8_t kind) {
  std::vector<CtfField> fields;
  const EventKinds& kinds = EventKinds::instance();
  for (std::size_t i = 0; i < kinds.fields().size(); ++i) {
    const auto id = static_cast<FieldId>(i);
    const EventField& field = kinds.field(id);
    const FieldPlace* const place = kinds.place(kind, id);
    if (field.source != FieldSource::stored || place == nullptr || field.name == "thread") continue;
    CtfField written{.field = id, .is_text = field.type == ValueType::text};
    const bool is_any = place->form_shift != 0;
    if (!written.is_text && (is_any || place->form == NumberForm::natural))
      written.numbers.push_back(CtfNumber::natural);
    if (!written.is_text && (is_any || place->form == NumberForm::integer))
      written.numbers.push_back(CtfNumber::integer);
    if (!written.is_text && (is_any || place->form == NumberForm::real))
      written.numbers.push_back(CtfNumber::real);
    fields.push_back(std::move(written));
  }
  return fields;
}

CtfUuid ctf_uuid(const Recorded& recorded) {
  const std::string what = fmt::format("{} {} {} {}", recorded.session.session, recorded.session.node,
                                       recorded.session.begun_ns, recorded.session.realtime_ns);
  CtfUuid uuid{};
  for (std::size_t half = 0; half < 2; ++half) {
    const std::uint64_t hash = std::hash<std::string>{}(what + (half == 0 ? "a" : "b"));
    for (std::size_t i = 0; i < 8; ++i) uuid[8 * half + i] = static_cast<std::uint8_t>(hash >> (8 * i));
  }
  uuid[6] = static_cast<std::uint8_t>((uuid[6] & 0x0f) | 0x80);  // version 8: of the application's making
  uuid[8] = static_cast<std::uint8_t>((uuid[8] & 0x3f) | 0x80);
  return uuid;
}

std::string ctf_metadata(const Recorded& recorded, const CtfUuid& uuid) {
  constexpr std::int64_t second = 1'000'000'000;
  const std::int64_t offset = std::max<std::int64_t>(recorded.realtime_ns, 0);
  std::string text = fmt::format(fmt::runtime(head), fmt::arg("uuid", in_words(uuid)),
                                 fmt::arg("order", std::endian::native == std::endian::little ? "le" : "be"),
                                 fmt::arg("session", quoted_text(recorded.session.session)),
                                 fmt::arg("node", quoted_text(recorded.session.node)),
                                 fmt::arg("program", quoted_text(recorded.session.program)),
                                 fmt::arg("offset_s", offset / second), fmt::arg("offset", offset % second),
                                 fmt::arg("lost", ctf_lost_event), fmt::arg("counter", ctf_counter_event));
  for (const EventKind* kind : EventKinds::instance().kinds()) {
    const std::string fields = fields_text(kind->number);
    text += event_text(*kind, CtfEdge::begin, "begin", fields);
    text += event_text(*kind, CtfEdge::end, "end", "");
    text += event_text(*kind, CtfEdge::point, "point", fields);
  }
  return text;
}

}  // namespace eventspace::exports
