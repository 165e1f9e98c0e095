#include "monitors/collectives/collective_operation.h"

#include <algorithm>

namespace eventspace {
namespace {

std::size_t place_of(std::size_t edge, EdgeEnd at) noexcept {
  return 2 * edge + static_cast<std::size_t>(at);
}

bool is_over(const EdgeRecord* record) noexcept { return record != nullptr && record->end; }

std::size_t count_ends(const CollectiveShape& shape) noexcept {
  std::size_t count = 0;
  for (const CollectiveShape::Edge& edge : shape.edges)
    count += static_cast<std::size_t>(edge.at_thread) + static_cast<std::size_t>(edge.at_joint);
  return count;
}

}  // namespace

CollectiveOperation::CollectiveOperation(const CollectiveShape& shape, std::uint64_t number)
    : shape_(&shape), number_(number), missing_(count_ends(shape)), records_(2 * shape.edges.size()) {}

bool CollectiveOperation::add(const EdgeRecord& record) {
  if (is_in_part(record.edge)) return false;
  std::optional<EdgeRecord>& place = records_.at(place_of(record.edge, record.at));
  if (place && (place->end || !record.end)) return false;
  place = record;
  if (!record.end) return true;
  ended_ = ended_ || !record.failed;
  failed_ = failed_ || record.failed;
  if (missing_ > 0) --missing_;
  return true;
}

bool CollectiveOperation::add(const ProcessPart& part) {
  const std::vector<std::size_t>& edges = shape_->within[part.within].edges;
  const bool is_known = std::ranges::any_of(edges, [this](std::size_t edge) {
    return is_in_part(edge) || is_over(find(edge, EdgeEnd::lower)) || is_over(find(edge, EdgeEnd::upper));
  });
  if (is_known) return false;
  for (const std::size_t edge : edges) {  // the part replaces records that are under way
    records_[place_of(edge, EdgeEnd::lower)].reset();
    records_[place_of(edge, EdgeEnd::upper)].reset();
  }
  parts_.push_back(part);
  missing_ -= std::min(missing_, 2 * edges.size());
  ended_ = true;
  return true;
}

bool CollectiveOperation::is_in_part(std::size_t edge) const noexcept {
  return std::ranges::any_of(parts_, [&](const ProcessPart& part) {
    const auto& edges = shape_->within[part.within].edges;
    return std::ranges::find(edges, edge) != edges.end();
  });
}

const EdgeRecord* CollectiveOperation::find(std::size_t edge, EdgeEnd at) const noexcept {
  const std::optional<EdgeRecord>& place = records_[place_of(edge, at)];
  return place ? &*place : nullptr;
}

}  // namespace eventspace
