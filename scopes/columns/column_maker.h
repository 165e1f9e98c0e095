#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "collectors/kinds/event_kinds.h"
#include "scopes/columns/events_state.h"
#include "scopes/tree/field_reader.h"

namespace eventspace {

/// Makes the columns of an Events. Pure.
class ColumnMaker {
 public:
  /// `events` must outlive it.
  explicit ColumnMaker(const Events::State& events) noexcept : events_(&events) {}

  [[nodiscard]] EventColumn times(Events::State::TimeColumn column) const;
  [[nodiscard]] EventColumn field(FieldId field) const;

 private:
  [[nodiscard]] EventColumn empty_column(EventColumn::Type type) const;
  [[nodiscard]] EventColumn texts(const FieldReader& reader) const;
  /// `type`: natural or integer.
  [[nodiscard]] EventColumn stored_numbers(const FieldReader& reader, EventColumn::Type type) const;
  [[nodiscard]] EventColumn numbers(const FieldReader& reader) const;
  /// Calls `use` with the place and the header of each event that has the stored field, and the bits of that.
  template <class Use>
  void for_each_stored(const FieldReader& reader, Use use) const;
  [[nodiscard]] EventColumn in_flight() const;

  const Events::State* events_;
};

}  // namespace eventspace
