#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <eventspace/stage.h>
#include "paths/views/view.h"
#include "scopes/reading/read_transaction.h"
#include "scopes/tree/scope_tree.h"
#include "scopes/wrappers/scope_wrapper.h"

namespace eventspace {

class Branch;
class ReadyList;
class Round;

/// A node of a scope's gather tree: pulls from all its children, joins their views in the order of the
/// children, and applies its operators to the result. A child that fails is listed in View::missing, and the
/// views of the others are still returned, so a pull through this stage always ends with Status::ok. Asking
/// determines how the children are pulled, and WhenLate how a late one is treated. Not thread-safe, like
/// every Stage.
class CombineStage final : public Stage {
 public:
  struct Child {
    std::unique_ptr<Stage> stage;
    std::chrono::nanoseconds timeout{};  ///< how long the stage waits for it; 0: until the pull's deadline
    Missing known_as{};                  ///< its entry in View::missing when it was not pulled
    /// True: all its work is done in this process, inside finish, which any thread may call.
    bool is_local{false};
    /// True: a server does all its work. The first ready() of its stage may come only when no other child is
    /// waited for; until then its operation is without a waker.
    bool is_elsewhere{false};
  };
  struct Config {
    std::string timed_as{};  ///< its name in View::levels, where its time is reported; empty: not reported
    Asking asking{Asking::overlapped};
    std::uint32_t threads{1};  ///< for Asking::threads: at most this many finish the local children
    /// The first rest of a late child, and the maximum; see WhenLate::skip.
    struct Skip {
      std::chrono::nanoseconds first;
      std::chrono::nanoseconds longest;
    };
    std::optional<Skip> skip{};  ///< none: a late child is given up
    /// Part of a subscription with this interval: a pull takes the answers of children on servers that have
    /// arrived. It waits only for children whose pull it has begun itself, for a moment; the others stay
    /// asked (SubscriptionRound). `asking` and `skip` are ignored. 0: part of another scope.
    std::chrono::nanoseconds subscription_interval{0};
  };

  CombineStage(const Config& config, std::vector<Child> children,
               std::vector<std::unique_ptr<ViewOperator>> operators);
  ~CombineStage() override;

  void begin(Operation& operation) override;
  bool ready(Operation& operation) override;
  void finish(Operation& operation) override;

 private:
  void put_together(View& whole);

  std::string timed_as_;
  std::unique_ptr<ReadyList> list_;
  std::vector<std::unique_ptr<Branch>> branches_;  // by pointer: they are wakers, which must not move
  std::unique_ptr<Round> round_;
  std::vector<std::unique_ptr<ViewOperator>> operators_;
  ReadTransaction transaction_;
  std::chrono::steady_clock::time_point begun_;
};

}  // namespace eventspace
