#include "scopes/generations.h"

#include <utility>

namespace eventspace {

void Generations::add(std::unique_ptr<const SegmentView> segment, std::uint64_t skipped) {
  auto added = std::make_shared<Generation>();
  added->number = newest_->number + 1 + skipped;
  added->segment = std::move(segment);
  newest_->newer = added;
  older_.push_back(newest_);
  newest_ = std::move(added);
  std::erase_if(older_, [](const auto& generation) { return generation.expired(); });
  give_up_oldest();
}

// From the newest to the oldest, so that `kept` is the oldest within the bound when the first beyond it
// comes.
void Generations::give_up_oldest() {
  std::shared_ptr<const Generation> kept = newest_;
  for (auto at = older_.rbegin(); at != older_.rend(); ++at) {
    const std::shared_ptr<Generation> generation = at->lock();
    if (generation == nullptr) continue;  // it went with the last that led to it, a moment ago
    if (generation->number + generations_kept >= newest_->number) {
      kept = generation;
    } else {
      generation->segment.reset();
      generation->newer = kept;
    }
  }
}

}  // namespace eventspace
