#include "collectors/pull_collector.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "paths/views/view.h"

namespace eventspace {
namespace {

std::uint32_t bytes_of(const View& view) noexcept {
  return static_cast<std::uint32_t>(std::min<std::size_t>(view.record_count() * sizeof(TraceTuple),
                                                          std::numeric_limits<std::uint32_t>::max()));
}

std::uint64_t missed_by(const View& view) noexcept {
  std::uint64_t sources = 0;
  for (const Missing& missing : view.missing) sources += missing.sources;
  return sources;
}

class PullCollector final : public Wrapper {
 public:
  PullCollector(std::unique_ptr<Stage> next, PullLog& log, PullEnd end)
      : Wrapper(std::move(next)), log_(&log), end_(end) {}
  ~PullCollector() override {
    if (is_under_way_) log_->give_up(entry_);
  }
  PullCollector(const PullCollector&) = delete;
  PullCollector& operator=(const PullCollector&) = delete;

  void begin(Operation& operation) override {
    ready_at_ = 0;
    is_under_way_ = true;
    log_->begin(entry_);
    next().begin(operation);
  }

  bool ready(Operation& operation) override {
    const bool is_ready = next().ready(operation);
    if (is_ready && ready_at_ == 0) ready_at_ = log_->now();
    return is_ready;
  }

  bool await(Operation& operation) override { return next().await(operation); }

  void finish(Operation& operation) override {
    try {
      next().finish(operation);
    } catch (...) {  // otherwise the next pull would begin an entry that is still in the log
      is_under_way_ = false;
      operation.status = Status::refused;
      log_->end(entry_, log_->now(), operation);
      throw;
    }
    is_under_way_ = false;
    const bool was_ready = end_ == PullEnd::ready && ready_at_ != 0;
    log_->end(entry_, was_ready ? ready_at_ : log_->now(), operation);
  }

 private:
  PullLog* log_;
  PullEnd end_;
  PullLog::Entry entry_;
  std::uint64_t ready_at_{0};  // 0 means not ready yet
  bool is_under_way_{false};
};

}  // namespace

void PullLog::begin(Entry& entry) noexcept {
  entry.is_recorded_ = thread_->records(operation_kind, static_cast<std::uint8_t>(Verb::pull));
  if (!entry.is_recorded_) return;
  entry.start_ = now();
  entry.before_ = newest_;
  entry.after_ = nullptr;
  (newest_ == nullptr ? oldest_ : newest_->after_) = &entry;
  newest_ = &entry;
  if (oldest_ == &entry) show(entry);
}

void PullLog::end(Entry& entry, std::uint64_t end, const Operation& operation) noexcept {
  if (!entry.is_recorded_) return;
  const View& view = pull_of(operation).view;
  publish(entry, end, record_words::outcome(bytes_of(view), operation.status, missed_by(view)),
          operation.body->id);
}

void PullLog::give_up(Entry& entry) noexcept {
  if (entry.is_recorded_) publish(entry, now(), record_words::outcome(0, Status::closed, 0), 0);
}

// The start half of the tuple in flight may be written again before its end half. While that happens, a
// reader may see either pull as the operation in flight.
void PullLog::publish(Entry& entry, std::uint64_t end, std::uint64_t outcome, std::uint64_t pull) noexcept {
  if (oldest_ != &entry) show(entry);
  writer_.end(end, outcome, pull, 0);
  unlink(entry);
  // The oldest of the remaining pulls becomes the operation in flight.
  if (oldest_ != nullptr) show(*oldest_);
}

void PullLog::show(const Entry& entry) noexcept {
  writer_.begin(entry.start_, record_words::thread_path(identity_.thread, identity_.path),
                record_words::what(Verb::pull, From::oldest, identity_.point, identity_.peer));
}

void PullLog::unlink(Entry& entry) noexcept {
  (entry.before_ == nullptr ? oldest_ : entry.before_->after_) = entry.after_;
  (entry.after_ == nullptr ? newest_ : entry.after_->before_) = entry.before_;
  entry.before_ = entry.after_ = nullptr;
}

std::unique_ptr<Stage> make_pull_collector(std::unique_ptr<Stage> next, PullLog& log, PullEnd end) {
  return std::make_unique<PullCollector>(std::move(next), log, end);
}

}  // namespace eventspace
