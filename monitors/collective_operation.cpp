#include "monitors/collective_operation.h"

#include <algorithm>

namespace eventspace {
namespace {

std::size_t place_of(std::size_t edge, EdgeEnd at) noexcept {
  return 2 * edge + static_cast<std::size_t>(at);
}

std::size_t count_ends(const CollectiveShape& shape) noexcept {
  std::size_t count = 0;
  for (const CollectiveShape::Edge& edge : shape.edges)
    count += static_cast<std::size_t>(edge.at_thread) + static_cast<std::size_t>(edge.at_joint);
  return count;
}

}  // namespace

CollectiveOperation::CollectiveOperation(const CollectiveShape& shape, std::uint64_t number)
    : number_(number), missing_(count_ends(shape)), records_(2 * shape.edges.size()) {}

bool CollectiveOperation::add(const EdgeRecord& record) {
  std::optional<EdgeRecord>& place = records_.at(place_of(record.edge, record.at));
  if (place && (place->end || !record.end)) return false;
  place = record;
  if (!record.end) return true;
  ended_ = ended_ || !record.failed;
  failed_ = failed_ || record.failed;
  if (missing_ > 0) --missing_;
  return true;
}

const EdgeRecord* CollectiveOperation::find(std::size_t edge, EdgeEnd at) const noexcept {
  const std::optional<EdgeRecord>& place = records_[place_of(edge, at)];
  return place ? &*place : nullptr;
}

}  // namespace eventspace
