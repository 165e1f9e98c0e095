#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "monitors/watching/timeline.h"
#include "monitors/watching/view_source.h"

namespace eventspace::test {

/// A timeline that only the test and pauses move. Pauses take no real time.
class TestTimeline final : public Timeline {
 public:
  [[nodiscard]] Time now() const override { return now_; }
  [[nodiscard]] bool wait(std::chrono::nanoseconds pause) override {
    pauses_.push_back(pause);
    now_ += pause;
    return end_ && now_ >= *end_;
  }

  void go_on() override { end_.reset(); }

  void advance(std::chrono::nanoseconds time) { now_ += time; }
  /// The pause that reaches this moment, counted from the first one, ends the monitor.
  void end_after(std::chrono::nanoseconds time) { end_ = first + time; }

  [[nodiscard]] std::chrono::nanoseconds elapsed() const { return now_ - first; }
  [[nodiscard]] const std::vector<std::chrono::nanoseconds>& pauses() const noexcept { return pauses_; }

 private:
  static constexpr Time first{std::chrono::hours(7)};
  Time now_{first};
  std::optional<Time> end_;
  std::vector<std::chrono::nanoseconds> pauses_;
};

/// Views that a test supplies.
class TestViews final : public ViewSource {
 public:
  explicit TestViews(std::function<View()> make) : make_(std::move(make)) {}
  View pull(const EventScope::Options& options) override {
    asked_at_.push_back(options.at.value());
    return make_();
  }
  [[nodiscard]] const std::vector<Timeline::Time>& asked_at() const noexcept { return asked_at_; }

 private:
  std::function<View()> make_;
  std::vector<Timeline::Time> asked_at_;
};

}  // namespace eventspace::test
