#pragma once

// Private to monitors/.

#include <cstdint>
#include <ostream>
#include <string>

#include "monitors/cli/options.h"
#include "monitors/watching/record_clocks.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// Writes virtual events, one a line; docs/commands.md names the fields. Buffers lines until flush(). The
/// arguments of the constructor must outlive this object.
class EventPrinter {
 public:
  EventPrinter(std::ostream& out, Format format, const RecordClocks& clocks, const PlanNames& names);
  void print(const EventRecord& record);
  /// Writes the buffered lines to the stream. Returns false when the stream has failed, as when its reader is
  /// gone.
  bool flush();

 private:
  void print_text(const EventRecord& record);
  void print_json(const EventRecord& record);
  void print_csv(const EventRecord& record);

  std::ostream* out_;
  std::string lines_;
  Format format_;
  const RecordClocks* clocks_;
  const PlanNames* names_;
};

}  // namespace eventspace
