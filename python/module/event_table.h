#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <eventspace/events.h>
#include <eventspace/loss.h>
#include "python/module/field_column.h"

namespace eventspace::python {

/// Events as columns, appended piece by piece, so that not all records are in memory at once. A field that no
/// event has is left out, unless the caller named it. Not thread-safe; uses nothing of Python.
class EventTable {
 public:
  /// `fields`: the columns to make, each once; empty: one for each field that an event has, but `age`, and
  /// `in_flight` unless the table has such events.
  EventTable(const std::vector<std::string>& fields, bool has_in_flight);

  /// Throws ConfigurationError, with near names, if a named field is unknown.
  void add(const Events& piece);
  /// Reads all pieces of `next`, which returns nothing at the end. The columns of two pieces are made, in
  /// threads, while the next one is read, since most of the time goes into making columns.
  void add_all(const std::function<std::optional<Events>()>& next);
  /// After the last piece.
  void finish();

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::vector<std::unique_ptr<FieldColumn>>& columns() noexcept { return columns_; }
  [[nodiscard]] const Loss& loss() const noexcept { return loss_; }
  [[nodiscard]] const std::vector<Missing>& missing() const noexcept { return missing_; }

 private:
  [[nodiscard]] std::vector<std::string> fields_of(const Events& piece) const;
  FieldColumn& column_named(const std::string& field, EventColumn::Type type);

  std::vector<std::string> wanted_;
  bool has_in_flight_;
  std::size_t size_{0};
  std::vector<std::unique_ptr<FieldColumn>> columns_;
  Loss loss_;
  std::vector<Missing> missing_;
};

}  // namespace eventspace::python
