#include "scopes/columns/column_maker.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <variant>
#include <vector>

#include "tuplespace/system/saturating.h"

namespace eventspace {
namespace {

using Type = EventColumn::Type;
using Name = EventColumn::Name;

/// The names of a text column, and the code of each.
class NameCodes {
 public:
  /// `has_numbers`: the numbers distinguish names with equal texts, and mean the same in all kinds of events.
  NameCodes(const FieldReader& reader, const PlanNames& names, bool has_numbers) noexcept
      : reader_(&reader), names_(&names), has_numbers_(has_numbers) {}

  /// The code of a number in events of `kind`; nothing if the kind does not have a word of that number.
  [[nodiscard]] std::uint32_t code(std::uint8_t kind, std::uint32_t number) {
    const std::uint64_t key = has_numbers_ ? number : (static_cast<std::uint64_t>(kind) << 32) | number;
    Known& recent = recent_[key % recent_.size()];
    if (key == recent.key) return recent.code;
    const auto [known, is_new] = codes_.try_emplace(key, EventColumn::no_name);
    if (is_new) known->second = add(kind, number);
    recent = {key, known->second};
    return recent.code;
  }
  [[nodiscard]] std::vector<Name> take() { return std::move(texts_); }

 private:
  std::uint32_t add(std::uint8_t kind, std::uint32_t number) {
    const std::string_view text = reader_->name(kind, number, *names_);
    if (text.empty() && reader_->field().names == NumberNames::words) return EventColumn::no_name;
    const auto next = static_cast<std::uint32_t>(texts_.size());
    if (has_numbers_) {
      texts_.push_back({number, std::string(text)});
      return next;
    }
    const auto same = std::ranges::find(texts_, text, &Name::text);
    if (same != texts_.end()) return same->number;
    texts_.push_back({next, std::string(text)});
    return next;
  }

  const FieldReader* reader_;
  const PlanNames* names_;
  bool has_numbers_;
  std::unordered_map<std::uint64_t, std::uint32_t> codes_;
  struct Known {
    std::uint64_t key{std::numeric_limits<std::uint64_t>::max()};
    std::uint32_t code{0};
  };
  std::array<Known, 256> recent_;
  std::vector<Name> texts_;
};

bool has_numbers(const EventField& field) {
  return field.source == FieldSource::process ||
         (field.source == FieldSource::stored && field.names != NumberNames::words);
}

// How the numbers of a stored field can be held, whatever the records have: the same for all of them.
Type type_of(const EventField& field) {
  const EventKinds& all = EventKinds::instance();
  const auto id = all.field_named(field.name);
  const auto have = [&](NumberForm form) {
    return id && std::ranges::all_of(all.kinds(), [&](const EventKind* kind) {
             const FieldPlace* const place = all.place(kind->number, *id);
             return place == nullptr || (place->form_shift == 0 && place->form == form);
           });
  };
  if (have(NumberForm::natural)) return Type::natural;
  return have(NumberForm::integer) ? Type::integer : Type::real;
}

template <class Number>
Number number_of(const FieldReader::Value& value) {
  return std::visit(
      [](const auto& held) {
        if constexpr (std::is_arithmetic_v<std::decay_t<decltype(held)>>) {
          return static_cast<Number>(held);
        } else {
          return Number{};
        }
      },
      value);
}

}  // namespace

EventColumn ColumnMaker::empty_column(Type type) const {
  const std::size_t size = events_->size();
  EventColumn column;
  column.type_ = type;
  column.present_.assign(size, 0);
  switch (type) {
    case Type::natural:
      column.values_ = std::vector<std::uint64_t>(size, 0);
      break;
    case Type::integer:
      column.values_ = std::vector<std::int64_t>(size, EventColumn::no_integer);
      break;
    case Type::real:
      column.values_ = std::vector<double>(size, std::numeric_limits<double>::quiet_NaN());
      break;
    case Type::boolean:
      column.values_ = std::vector<std::uint8_t>(size, 0);
      break;
    case Type::text:
      column.values_ = std::vector<std::uint32_t>(size, EventColumn::no_name);
      break;
  }
  return column;
}

EventColumn ColumnMaker::times(Events::State::TimeColumn which) const {
  using State = Events::State;
  EventColumn column = empty_column(Type::integer);
  auto& values = std::get<std::vector<std::int64_t>>(column.values_);
  events_->for_each([&](std::size_t place, const ObservedEvent& event) {
    std::optional<std::int64_t> time;
    if (event.process == nullptr) return;
    if (which == State::start_ns) time = event.process->clock.to_realtime_ns(event.start());
    if (which == State::end_ns && !event.in_flight()) time = event.process->clock.to_realtime_ns(event.end());
    if (which == State::start_here_ns || which == State::error_ns) {
      const auto here = events_->clocks->start_here(event.header(), event.process);
      if (here) time = which == State::error_ns ? here->error_ns : here->ns;
    }
    if (!time) return;
    values[place] = *time;
    column.present_[place] = 1;
  });
  return column;
}

EventColumn ColumnMaker::field(FieldId field) const {
  const FieldReader reader(field);
  if (reader.field().type == ValueType::text) return texts(reader);
  if (reader.field().source == FieldSource::in_flight) return in_flight();
  return reader.field().source == FieldSource::stored ? stored_numbers(reader) : computed_numbers(reader);
}

EventColumn ColumnMaker::texts(const FieldReader& reader) const {
  EventColumn column = empty_column(Type::text);
  auto& codes = std::get<std::vector<std::uint32_t>>(column.values_);
  NameCodes names(reader, *events_->names, has_numbers(reader.field()));
  events_->for_each([&](std::size_t place, const ObservedEvent& event) {
    const auto number = reader.name_number(event);
    if (number) codes[place] = names.code(event.header().kind, *number);
    column.present_[place] = codes[place] != EventColumn::no_name;
  });
  column.names_ = names.take();
  return column;
}

EventColumn ColumnMaker::stored_numbers(const FieldReader& reader) const {
  EventColumn column = empty_column(type_of(reader.field()));
  std::visit(
      [&](auto& values) {
        events_->for_each([&](std::size_t place, const ObservedEvent& event) {
          const FieldReader::Value value = reader.value(event, *events_->names);
          if (std::holds_alternative<std::monostate>(value)) return;
          values[place] = number_of<std::decay_t<decltype(values[place])>>(value);
          column.present_[place] = 1;
        });
      },
      column.values_);
  return column;
}

EventColumn ColumnMaker::computed_numbers(const FieldReader& reader) const {
  EventColumn column = empty_column(Type::real);
  auto& values = std::get<std::vector<double>>(column.values_);
  events_->for_each([&](std::size_t place, const ObservedEvent& event) {
    const auto number = reader.number(event);
    if (!number) return;
    values[place] = *number;
    column.present_[place] = 1;
  });
  return column;
}

EventColumn ColumnMaker::in_flight() const {
  EventColumn column = empty_column(Type::boolean);
  auto& values = std::get<std::vector<std::uint8_t>>(column.values_);
  events_->for_each([&](std::size_t place, const ObservedEvent& event) {
    values[place] = event.in_flight() ? 1 : 0;
    column.present_[place] = 1;
  });
  return column;
}

}  // namespace eventspace
