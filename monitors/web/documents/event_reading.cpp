#include "monitors/web/documents/event_reading.h"

#include <eventspace/deadline.h>
#include "monitors/watching/recorded_session.h"
#include "pathmaps/questions/question_scope.h"

namespace eventspace::web {
namespace {

std::shared_ptr<RecordedRun> open_again(const Watched& watched, const std::filesystem::path& named) {
  if (watched.recorded == nullptr) return nullptr;
  auto recorded = open_recorded(named, "").recorded;
  recorded->replay().set_now_ns(recorded->replay().end_ns());
  return recorded;
}

std::optional<Consumer> consumer_of_recording(const std::shared_ptr<RecordedRun>& recorded) {
  return recorded ? std::optional<Consumer>(recorded) : std::nullopt;
}

// The scope and the sums of `profile`.
EventScope open_events(Consumer& consumer, const Watched& watched) {
  return consumer.open(base_scope(watched.pathmap, *watched.plan, {.name = "events"}));
}

}  // namespace

EventReading::EventReading(const Watched& watched, const std::filesystem::path& named, Consumer* running,
                           double at_s)
    : recorded_(open_again(watched, named)),
      own_(consumer_of_recording(recorded_)),
      consumer_(own_ ? &*own_ : running),
      views_(open_events(*consumer_, watched)),
      profile_(consumer_->names(), {.calls_of_threads = true, .waits_of_pairs = true}),
      at_s_(recorded_ ? 0 : at_s),
      has_rest_(recorded_ != nullptr) {}

void EventReading::read(std::chrono::nanoseconds patience) {
  if (recorded_ == nullptr) {
    read_running(patience);
    profile_.settle();
  } else if (has_rest_) {
    add(views_.pull({.deadline = Deadline::after(patience)}));
    has_rest_ = recorded_->replay().take_unread();
    if (!has_rest_) profile_.settle();
  }
}

// A program may make records as fast as they are read, so the time is limited.
void EventReading::read_running(std::chrono::nanoseconds patience) {
  const Deadline limit = Deadline::after(patience);
  const ScopeTree& tree = views_.scope().tree();
  bool has_rest = true;
  while (has_rest && !limit.passed()) {
    const View view = views_.pull({.deadline = limit});
    add(view);
    has_rest = tree.next && view.records.size() >= tree.batch;
  }
}

void EventReading::add(const View& view) {
  profile_.add(view);
  loss_ += view.loss;
  missing_ += view.missing.empty() ? 0 : 1;
}

EventSums EventReading::sums() const noexcept {
  return {.profile = &profile_,
          .names = &consumer_->names(),
          .loss = loss_,
          .missing = missing_,
          .since_s = at_s_,
          .is_whole = !has_rest_};
}

}  // namespace eventspace::web
