#include "scopes/metrics/evaluation/collected_tallies.h"

namespace eventspace::metrics {

void CollectedTallies::receive(std::uint32_t collection, std::uint32_t object,
                               const Tally::State& collected) {
  std::vector<Received>& of_objects = received_[collection];
  if (of_objects.size() <= object) of_objects.resize(object + 1);
  const TypedNode& what = *definition_.collections[collection].value;
  for (std::optional<Tally>* const tally : {&of_objects[object].start, &of_objects[object].last}) {
    if (!*tally) tally->emplace(what.aggregate, what.value);
    (*tally)->add(collected);
  }
}

Datum CollectedTallies::result(std::uint32_t collection, std::size_t object, bool is_since_last) const {
  const std::vector<Received>& of_objects = received_[collection];
  const TypedNode& what = *definition_.collections[collection].value;
  if (object < of_objects.size()) {
    const auto& tally = is_since_last ? of_objects[object].last : of_objects[object].start;
    if (tally) return tally->result();
  }
  return Tally(what.aggregate, what.value).result();
}

void CollectedTallies::end_reading() {
  for (auto& of_objects : received_) {
    for (Received& received : of_objects) received.last.reset();
  }
}

}  // namespace eventspace::metrics
