#pragma once

// Private to monitors/.

#include <cstdint>
#include <ostream>
#include <string>

#include "monitors/cli/options.h"
#include "monitors/watching/record_clocks.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// Writes virtual events, one a line; docs/commands.md names the fields. What it is given must outlive it.
class EventPrinter {
 public:
  EventPrinter(std::ostream& out, Format format, const RecordClocks& clocks, const PlanNames& names);
  void print(const EventRecord& record);
  /// Hands what was printed to the stream; until then it is kept. False when nobody takes it any more.
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
