#include "python/module/event_table.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

#include "tuplespace/system/library_thread.h"

namespace eventspace::python {
namespace {

/// Makes the columns of a piece in a thread of the library. The piece keeps them.
class Making {
 public:
  Making(Events piece, std::vector<std::string> fields)
      : piece_(std::move(piece)),
        fields_(std::move(fields)),
        thread_(start_library_thread([this] { make(); })) {}
  ~Making() {
    if (thread_.joinable()) thread_.join();
  }
  Making(const Making&) = delete;
  Making& operator=(const Making&) = delete;

  /// Waits until they are made. Throws what making them threw.
  const Events& get() {
    thread_.join();
    if (fault_) std::rethrow_exception(fault_);
    return piece_;
  }

 private:
  void make() {
    try {
      for (const std::string& field : fields_) (void)piece_.column(field);
    } catch (...) {
      fault_ = std::current_exception();
    }
  }

  Events piece_;
  std::vector<std::string> fields_;
  std::exception_ptr fault_;
  std::thread thread_;
};

std::vector<std::string> without_repetitions(const std::vector<std::string>& fields) {
  std::vector<std::string> once;
  for (const std::string& field : fields)
    if (std::ranges::find(once, field) == once.end()) once.push_back(field);
  return once;
}

bool is_same(const Missing& a, const Missing& b) { return a.node == b.node && a.what == b.what; }

}  // namespace

EventTable::EventTable(const std::vector<std::string>& fields, bool has_in_flight)
    : wanted_(without_repetitions(fields)), has_in_flight_(has_in_flight) {
  for (const std::string& field : wanted_) (void)column_named(field, Events().column(field).type());
}

std::vector<std::string> EventTable::fields_of(const Events& piece) const {
  if (!wanted_.empty()) return wanted_;
  std::vector<std::string> fields = piece.fields();
  std::erase(fields, "age");  // of when they were read
  if (!has_in_flight_) std::erase(fields, "in_flight");
  return fields;
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
  std::unique_ptr<Making> before;
  while (std::optional<Events> piece = next()) {
    auto making = std::make_unique<Making>(*piece, fields_of(*piece));
    piece.reset();
    if (before) add(before->get());
    before = std::move(making);
  }
  if (before) add(before->get());
}

void EventTable::finish() {
  std::erase_if(columns_, [this](const auto& column) { return wanted_.empty() && !column->has_any(); });
  for (const auto& column : columns_) column->finish();
}

}  // namespace eventspace::python
