#include "scopes/gathering/waited_call.h"

#include <atomic>

namespace eventspace {
namespace {

class News final : public Waker {
 public:
  void wake() noexcept override { came_.store(true, std::memory_order_release); }
  /// Returns whether wake was called since the last take.
  bool take() noexcept { return came_.exchange(false, std::memory_order_acquire); }

 private:
  std::atomic<bool> came_{false};
};

}  // namespace

void waited_call(Stage& stage, Operation& operation, const std::function<void(Deadline)>& wait) {
  News news;
  operation.waker = &news;
  stage.begin(operation);
  while (!operation.deadline.passed()) {
    news.take();  // before ready, so that a wake-up during ready is not lost
    if (stage.ready(operation)) break;
    if (!news.take()) wait(earlier(operation.deadline, operation.look_again));
  }
  stage.finish(operation);
  operation.waker = nullptr;
}

}  // namespace eventspace
