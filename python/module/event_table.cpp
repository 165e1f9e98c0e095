#include "python/module/event_table.h"

#include <algorithm>
#include <future>
#include <optional>
#include <utility>

namespace eventspace::python {
namespace {

// The columns of a piece are made when they are first asked for, and kept with it.
void make_columns(const Events& piece, const std::vector<std::string>& fields) {
  for (const std::string& field : fields) (void)piece.column(field);
}

bool is_same(const Missing& a, const Missing& b) { return a.node == b.node && a.what == b.what; }

}  // namespace

EventTable::EventTable(std::vector<std::string> fields) : wanted_(std::move(fields)) {
  for (const std::string& field : wanted_) (void)column_named(field, Events().column(field).type());
}

std::vector<std::string> EventTable::fields_of(const Events& piece) const {
  return wanted_.empty() ? piece.fields() : wanted_;
}

FieldColumn& EventTable::column_named(const std::string& field, EventColumn::Type type) {
  const auto known = std::ranges::find(columns_, field, [](const auto& column) { return column->name(); });
  if (known != columns_.end()) return **known;
  columns_.push_back(std::make_unique<FieldColumn>(field, type, size_));
  return *columns_.back();
}

void EventTable::add(const Events& piece) {
  for (const std::string& field : fields_of(piece)) {
    const EventColumn& column = piece.column(field);
    column_named(field, column.type()).append(column);
  }
  size_ += piece.size();
  for (const auto& column : columns_) column->append_missing(size_ - column->size());
  loss_ += piece.loss();
  for (const Missing& missing : piece.missing())
    if (std::ranges::none_of(missing_, [&](const Missing& one) { return is_same(one, missing); }))
      missing_.push_back(missing);
}

void EventTable::add_all(const std::function<std::optional<Events>()>& next) {
  std::optional<Events> piece = next();
  std::optional<Events> before;
  std::future<void> making;
  while (piece) {
    std::future<void> made = std::async(std::launch::async, make_columns, *piece, fields_of(*piece));
    std::optional<Events> following = next();  // is read meanwhile
    if (making.valid()) {
      making.get();
      add(*before);
    }
    making = std::move(made);
    before = std::exchange(piece, std::move(following));
  }
  if (!making.valid()) return;
  making.get();
  add(*before);
}

void EventTable::finish() {
  std::erase_if(columns_, [this](const auto& column) { return wanted_.empty() && !column->has_any(); });
  for (const auto& column : columns_) column->finish();
}

}  // namespace eventspace::python
