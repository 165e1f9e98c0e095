#pragma once

// Private to monitors/.

#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "monitors/cli/options.h"
#include "monitors/watching/record_clocks.h"
#include "scopes/tree/field_reader.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// Writes virtual events, one a line. The columns of CSV and the members of JSON are the fields of the
/// vocabulary (collectors/kinds/event_kinds.h), between the event's times; docs/commands.md lists them. A
/// JSON object has the members of its event's kind only; CSV has all columns, empty for what an event lacks.
/// Buffers lines until flush(). The arguments of the constructor must outlive this object.
class EventPrinter {
 public:
  EventPrinter(std::ostream& out, Format format, const RecordClocks& clocks, const PlanNames& names);
  /// `records`: the continuation records of an event, and then its own.
  void print(std::span<const TraceTuple> records);
  /// Writes the buffered lines to the stream. Returns false when the stream has failed, as when its reader is
  /// gone.
  bool flush();

 private:
  void print_text(const ObservedEvent& event);
  void print_json(const ObservedEvent& event);
  void print_csv(const ObservedEvent& event);

  std::ostream* out_;
  std::string lines_;
  Format format_;
  const RecordClocks* clocks_;
  const PlanNames* names_;
  std::vector<FieldReader> columns_;
  FieldReader status_{"status"};
};

}  // namespace eventspace
