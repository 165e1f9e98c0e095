#include "scopes/columns/column_maker.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <type_traits>
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
  if (reader.field().source != FieldSource::stored) return numbers(reader);
  const Type type = type_of(reader.field());
  return type == Type::real ? numbers(reader) : stored_numbers(reader, type);
}

// An event of one record, as nearly all are, is not copied: that takes longer than the rest.
template <class Use>
void ColumnMaker::for_each_stored(const FieldReader& reader, Use use) const {
  if (events_->own.empty()) {
    std::size_t place = 0;
    for (const TraceTuple& record : events_->records) {
      if (const auto bits = reader.bits(record)) use(place, header_of(record), *bits);
      ++place;
    }
    return;
  }
  events_->for_each([&](std::size_t place, const ObservedEvent& event) {
    if (const auto bits = reader.bits(event)) use(place, event.header(), *bits);
  });
}

EventColumn ColumnMaker::texts(const FieldReader& reader) const {
  EventColumn column = empty_column(Type::text);
  auto& codes = std::get<std::vector<std::uint32_t>>(column.values_);
  NameCodes names(reader, *events_->names, has_numbers(reader.field()));
  const auto add = [&](std::size_t place, std::uint8_t kind, std::uint32_t number) {
    codes[place] = names.code(kind, number);
    column.present_[place] = codes[place] != EventColumn::no_name;
  };
  if (reader.field().source == FieldSource::stored) {
    for_each_stored(reader, [&](std::size_t place, const RecordHeader& header, std::uint64_t bits) {
      add(place, header.kind, reader.name_number(header, bits));
    });
  } else {
    events_->for_each([&](std::size_t place, const ObservedEvent& event) {
      if (const auto number = reader.name_number(event)) add(place, event.header().kind, *number);
    });
  }
  column.names_ = names.take();
  return column;
}

EventColumn ColumnMaker::stored_numbers(const FieldReader& reader, Type type) const {
  EventColumn column = empty_column(type);
  const auto store_in = [&](auto& values) {
    for_each_stored(reader, [&](std::size_t place, const RecordHeader& /*header*/, std::uint64_t bits) {
      values[place] = static_cast<std::decay_t<decltype(values[place])>>(bits);
      column.present_[place] = 1;
    });
  };
  if (type == Type::natural)
    store_in(std::get<std::vector<std::uint64_t>>(column.values_));
  else
    store_in(std::get<std::vector<std::int64_t>>(column.values_));
  return column;
}

EventColumn ColumnMaker::numbers(const FieldReader& reader) const {
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
