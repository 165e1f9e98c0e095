#pragma once

// The fields of the messages of element_bodies.h and element_states.h.

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <eventspace/operation.h>
#include "paths/bodies/element_states.h"
#include "paths/wire/fields.h"

namespace eventspace::wire {

/// The template of a request: the sender refers to it, the receiver owns it.
struct SentTemplate {
  const Template* sent{nullptr};
  std::optional<Template> received{};
};

/// The request of an operation on an element. `tuple` is a view, empty if the verb sends none.
struct ElementRequest {
  From from{From::oldest};
  std::uint64_t sequence{0};
  Bytes tuple{};
  SentTemplate match{};
};

/// Its result.
struct ElementReply {
  std::uint64_t sequence{0};
  std::uint64_t missed{0};
  Bytes tuple{};
};

/// A template as an array of its entries, each [is formal, type or value]; none as an empty array.
struct TemplateForm : UnboundedEntry {
  static constexpr std::string_view name = "template";

  template <class Sink>
  static void write(Sink sink, const SentTemplate& match) {
    sink.array(match.sent == nullptr ? 0 : match.sent->entries().size());
    if (match.sent == nullptr) return;
    for (const Template::Entry& entry : match.sent->entries()) {
      sink.array(2);
      sink.boolean(std::holds_alternative<FieldType>(entry));
      std::visit([&](const auto& value) { write_value(sink, value); }, entry);
    }
  }
  template <class Source>
  static void read(Source& source, SentTemplate& match) {
    std::vector<Template::Entry> template_entries;
    for (auto list = source.list(); list.more();) {
      if (template_entries.size() == Signature::max_fields) throw BodyError();
      auto entry = list.array();
      template_entries.push_back(read_entry(entry));
      entry.expect_end();
    }
    match.received.reset();
    if (!template_entries.empty()) match.received.emplace(std::move(template_entries));
  }

 private:
  template <class Sink, class T>
  static void write_value(Sink sink, const T& value) {
    if constexpr (std::is_same_v<T, FieldType>)
      sink.integer(static_cast<std::uint8_t>(value));
    else
      DefaultForm<T>::write(sink, value);
  }
  template <class Source>
  static Template::Entry read_entry(Source& entry) {
    if (entry.boolean()) return entry.enumeration(FieldType::boolean, FieldType::bytes);
    switch (entry.type()) {
      case Entries::Type::boolean:
        return entry.boolean();
      case Entries::Type::real:
        return entry.real();
      case Entries::Type::text:
        return std::string(entry.text());
      case Entries::Type::bytes: {
        const Bytes bytes = entry.bytes();
        return std::vector<std::byte>(bytes.begin(), bytes.end());
      }
      default:
        return entry.template integer<std::int64_t>();
    }
  }
};

template <>
struct Layout<ElementRequest>
    : Array<ElementRequest, Field<&ElementRequest::from, OneOf<From::oldest, From::after>>,
            Field<&ElementRequest::sequence>, Field<&ElementRequest::tuple>,
            Field<&ElementRequest::match, TemplateForm>> {};

template <>
struct Layout<ElementReply> : Array<ElementReply, Field<&ElementReply::sequence>,
                                    Field<&ElementReply::missed>, Field<&ElementReply::tuple>> {};

template <>
struct Layout<ElementState>
    : Array<ElementState, Field<&ElementState::name>,
            Field<&ElementState::place, OneOf<ElementPlace::memory, ElementPlace::shared>>,
            Field<&ElementState::waits>, Field<&ElementState::is_known>, Field<&ElementState::type>,
            Field<&ElementState::process>, Field<&ElementState::capacity>, Field<&ElementState::kept>,
            Field<&ElementState::written>, Field<&ElementState::taken>, Field<&ElementState::discarded>,
            Field<&ElementState::dropped>, Field<&ElementState::refused>, Field<&ElementState::oldest>,
            Field<&ElementState::newest>, Field<&ElementState::room>, Field<&ElementState::bytes>> {};

/// Requests the states from the number `first` on, at most `most`.
struct StatesRequest {
  std::uint32_t first{0};
  std::uint32_t most{0};
};
template <>
struct Layout<StatesRequest>
    : Array<StatesRequest, Field<&StatesRequest::first>,
            Field<&StatesRequest::most, Between<0U, ElementStatesBody::max_states>>> {};

struct StatesReply {
  std::uint32_t all{0};  ///< the number of elements
  std::vector<ElementState> states{};
};
template <>
struct Layout<StatesReply>
    : Array<StatesReply, Field<&StatesReply::all>,
            Field<&StatesReply::states, List<Structure, ElementStatesBody::max_states>>> {};

}  // namespace eventspace::wire
