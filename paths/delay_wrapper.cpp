#include "paths/delay_wrapper.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace eventspace {
namespace {

using std::chrono::nanoseconds;

class DelayWrapper final : public Wrapper {
 public:
  DelayWrapper(std::unique_ptr<Stage> next, nanoseconds delay) noexcept
      : Wrapper(std::move(next)), delay_(delay) {}

  void begin(Operation& operation) override {
    operation.status = Status::under_way;
    const auto wait = std::min<nanoseconds>(delay_, operation.deadline.left());
    due_ = Deadline::Clock::now() + wait;
    operation.look_again = Deadline::after(wait);
    forwarded_ = false;
  }

  bool ready(Operation& operation) override {
    if (Deadline::Clock::now() < due_) return false;
    forward(operation);
    return Wrapper::ready(operation);
  }

  void finish(Operation& operation) override {
    // The caller may have moved the deadline forward since begin, to end the operation early.
    std::this_thread::sleep_until(std::min(due_, operation.deadline.time()));
    forward(operation);
    Wrapper::finish(operation);
  }

 private:
  void forward(Operation& operation) {
    if (std::exchange(forwarded_, true)) return;
    operation.look_again = Deadline::never();
    Wrapper::begin(operation);
  }

  nanoseconds delay_;
  Deadline::Clock::time_point due_;
  bool forwarded_{false};
};

}  // namespace

WrapperInfo delay_wrapper() {
  ParameterSpec hold{"for", ParameterKind::duration};
  hold.required = true;
  hold.least = 0.0;
  hold.most = 60.0;
  hold.help = "how long each operation is held back";
  return {"delay",
          "holds each operation back for a while",
          {hold},
          [](const Parameters& given, std::unique_ptr<Stage> next) -> std::unique_ptr<Stage> {
            return std::make_unique<DelayWrapper>(std::move(next), parameter<nanoseconds>(given, "for"));
          }};
}

}  // namespace eventspace
