#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "monitors/cli/options.h"
#include "monitors/events/point_pairs.h"
#include "monitors/events/record_clocks.h"
#include "scopes/tree/field_reader.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// Writes virtual events, one per line; an operation that was recorded at both ends of its path is one line,
/// with its times at the element after its times at the thread. The columns of CSV and the members of JSON
/// are the fields of the vocabulary (collectors/kinds/event_kinds.h), between the event's times;
/// docs/commands.md lists them. A JSON object has the members of its event's kind only; CSV has all columns,
/// empty for fields that an event lacks. Buffers lines until flush(). The arguments of the constructor must
/// outlive this object.
class EventPrinter {
 public:
  EventPrinter(std::ostream& out, Format format, const RecordClocks& clocks, const PlanNames& names);
  void print(const EventRow& row);
  /// Writes the buffered lines to the stream. Returns false when the stream has failed, as when its reader is
  /// gone.
  bool flush();

 private:
  /// The columns of the operation's record at the element; empty if there is none.
  struct AtElement {
    std::optional<std::int64_t> start_ns{};
    std::optional<std::int64_t> duration_ns{};
    std::optional<std::int64_t> start_here_ns{};
    std::optional<std::int64_t> error_ns{};
    std::optional<std::string_view> process{};
    std::optional<std::uint64_t> sequence{};
    std::string after{};  ///< the delay of its begin after the thread's, for text
  };
  void print_text(const ObservedEvent& event, const AtElement& element);
  void print_json(const ObservedEvent& event, const AtElement& element);
  void print_csv(const ObservedEvent& event, const AtElement& element);
  [[nodiscard]] AtElement at_element(const EventRow& row) const;

  std::ostream* out_;
  std::string lines_;
  Format format_;
  const RecordClocks* clocks_;
  const PlanNames* names_;
  std::vector<FieldReader> columns_;
  FieldReader status_{"status"};
  FieldReader site_{"site"};
};

}  // namespace eventspace
