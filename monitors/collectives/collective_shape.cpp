#include "monitors/collectives/collective_shape.h"

#include <algorithm>

namespace eventspace {

std::optional<ProcessPart> process_part(const CollectiveShape& shape, const CollectivePart& part,
                                        const ProcessReport& process) {
  const auto within = std::ranges::find(shape.within, part.process, &CollectiveShape::Within::process);
  if (within == shape.within.end() || within->threads != part.threads) return std::nullopt;
  ProcessPart made;
  made.within = static_cast<std::size_t>(within - shape.within.begin());
  made.operation = part.operation;
  const auto came = [&](const Contribution& contribution, ProcessPart::Came& as) {
    const auto edge = shape.edge_of_path.find(contribution.path);
    if (edge == shape.edge_of_path.end()) return false;
    as = {edge->second, Moment::of(contribution.ticks, process, shape.node_of(process))};
    return true;
  };
  if (!came(part.first, made.first) || !came(part.second, made.second) || !came(part.last, made.last))
    return std::nullopt;
  made.waited = same_clock_sum(static_cast<double>(part.waited) * process.clock.ns_per_tick, part.threads);
  return made;
}

std::optional<EdgeRecord> edge_record(const CollectiveShape& shape, const EventRecord& record,
                                      const ProcessReport& process) {
  const auto edge = shape.edge_of_path.find(record.path);
  if (edge == shape.edge_of_path.end() || record.point > 1) return std::nullopt;
  EdgeRecord made;
  made.edge = edge->second;
  made.at = static_cast<EdgeEnd>(record.point);
  made.operation = record.parameter;
  made.start = Moment::of(record.start, process, shape.node_of(process));
  if (!record.in_flight()) made.end = Moment::of(record.end, process, shape.node_of(process));
  made.failed = made.end && record.status != Status::ok;
  return made;
}

}  // namespace eventspace
