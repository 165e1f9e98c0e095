#include "monitors/collective_shape.h"

namespace eventspace {

std::optional<EdgeRecord> edge_record(const CollectiveShape& shape, const EventRecord& record,
                                      const ProcessReport& process) {
  const auto edge = shape.edge_of_path.find(record.path);
  if (edge == shape.edge_of_path.end() || record.point > 1) return std::nullopt;
  EdgeRecord made;
  made.edge = edge->second;
  made.at = static_cast<EdgeEnd>(record.point);
  made.operation = record.parameter;
  made.start = Moment::of(record.start, process);
  if (!record.in_flight()) made.end = Moment::of(record.end, process);
  made.failed = made.end && record.status != Status::ok;
  return made;
}

}  // namespace eventspace
