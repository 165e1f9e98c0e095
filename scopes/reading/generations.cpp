#include "scopes/reading/generations.h"

#include <utility>

#include <eventspace/error.h>
#include "tuplespace/trace/control_file.h"

namespace eventspace {
namespace {

// The process makes its control file first, so it exists unless it could not be made or was removed.
std::shared_ptr<const ControlView> control_of(const SegmentView& segment) {
  try {
    auto control =
        std::make_shared<const ControlView>(control_file_of(segment.path()), ControlView::Access::read);
    const bool is_its =
        control->pid() == segment.pid() && control->process_start_ticks() == segment.process_start_ticks();
    return is_its ? control : nullptr;
  } catch (const EnvironmentError&) {
    return nullptr;
  }
}

void take(Generation& generation, std::unique_ptr<SegmentView> segment) {
  generation.segment = std::move(segment);
  if (generation.segment != nullptr) generation.control = control_of(*generation.segment);
}

}  // namespace

std::uint64_t generations_between(const Generation& older, const Generation& newer) noexcept {
  const std::int64_t gap = newer.number - older.number - 1;
  return static_cast<std::uint64_t>(older.number < 0 && newer.number > 0 ? gap - 1 : gap);
}

std::shared_ptr<const Generation> Generations::oldest() const {
  for (const std::weak_ptr<Generation>& older : older_) {
    if (auto held = older.lock(); held != nullptr && held->segment != nullptr) return held;
  }
  return newest_;
}

std::shared_ptr<const Generation> Generations::add_older(std::unique_ptr<SegmentView> segment) {
  auto added = std::make_shared<Generation>();
  added->newer = oldest();
  added->number = added->newer->number == 1 ? -1 : added->newer->number - 1;
  take(*added, std::move(segment));
  std::erase_if(older_, [](const auto& generation) { return generation.expired(); });
  older_.insert(older_.begin(), added);
  return added;
}

void Generations::add(std::unique_ptr<SegmentView> segment, std::uint64_t skipped) {
  auto added = std::make_shared<Generation>();
  added->number = newest_->number + 1 + static_cast<std::int64_t>(skipped);
  take(*added, std::move(segment));
  newest_->newer = added;
  older_.push_back(newest_);
  newest_ = std::move(added);
  std::erase_if(older_, [](const auto& generation) { return generation.expired(); });
  give_up_oldest();
}

// From the newest to the oldest, so that `kept` is the oldest within the bound when the first one beyond the
// bound is reached.
void Generations::give_up_oldest() {
  std::shared_ptr<const Generation> kept = newest_;
  for (auto at = older_.rbegin(); at != older_.rend(); ++at) {
    const std::shared_ptr<Generation> generation = at->lock();
    if (generation == nullptr) continue;  // destroyed just now with the generation that led to it
    if (generation->number + generations_kept >= newest_->number) {
      kept = generation;
    } else {
      generation->segment.reset();
      generation->control.reset();
      generation->newer = kept;
    }
  }
}

}  // namespace eventspace
