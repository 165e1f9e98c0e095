#include "pathmaps/hosting/path_end.h"

#include <utility>

namespace eventspace {
namespace {

constexpr const char* taken_over = "another connection has taken over this path";

}  // namespace

class PathEnd::User final : public Stage {
 public:
  explicit User(PathEnd& end) noexcept : end_(&end) {}
  ~User() override {
    if (end_ == nullptr) return;
    end_->user_ = nullptr;
    end_->chain_->leave();
  }
  User(const User&) = delete;
  User& operator=(const User&) = delete;

  void begin(Operation& operation) override {
    if (end_ == nullptr) {
      operation.status = Status::refused;
      operation.reason = taken_over;
      return;
    }
    under_way_ = &operation;
    end_->chain_->begin(operation);
  }

  bool ready(Operation& operation) override {
    return under_way_ == nullptr || end_->chain_->ready(operation);
  }

  void finish(Operation& operation) override {
    if (std::exchange(under_way_, nullptr) != nullptr) end_->chain_->finish(operation);
  }

  void break_off(std::string_view why) override {
    if (end_ != nullptr) end_->chain_->break_off(why);
  }
  void leave() override {
    if (end_ != nullptr) end_->chain_->leave();
  }

  // Ends the operation under way, because the chain carries one at a time. Afterwards this user forwards
  // nothing.
  void retire() {
    end_->chain_->leave();
    if (Operation* const left = std::exchange(under_way_, nullptr)) {
      left->deadline = Deadline::now();
      end_->chain_->finish(*left);
      // Unless it succeeded at the last moment, the reason is the replacement, not the deadline set above.
      if (left->status != Status::ok) {
        left->status = Status::closed;
        left->reason = taken_over;
      }
      if (left->waker != nullptr) left->waker->wake();
    }
    end_ = nullptr;
  }

 private:
  PathEnd* end_;
  Operation* under_way_{nullptr};
};

std::unique_ptr<Stage> PathEnd::open() {
  if (user_ != nullptr) user_->retire();
  auto user = std::make_unique<User>(*this);
  user_ = user.get();
  return user;
}

}  // namespace eventspace
