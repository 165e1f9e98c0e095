#pragma once

// Private to scopes/.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "paths/stage.h"
#include "paths/views/view.h"
#include "scopes/tree/scope_tree.h"
#include "scopes/wrappers/scope_wrapper.h"

namespace eventspace {

class Branch;
class ReadyList;
class Round;

/// A node of a scope's gather tree: asks all its children, puts their views together in the order of the
/// children and applies its operators to the whole. A child that fails is named in View::missing; the rest is
/// yielded all the same, so a pull through this stage always finishes as ok.
///
/// How the children are asked, and what becomes of one that is late, Asking and WhenLate say.
class CombineStage final : public Stage {
 public:
  struct Child {
    std::unique_ptr<Stage> stage;
    std::chrono::nanoseconds timeout{};  ///< waited for at most; 0: as long as the pull may take
    Missing known_as{};                  ///< how it is named when it was not asked
    bool is_local{
        false};  ///< all that it does is work of its own, done in finish: any one thread may do that
    /// All that it does is done elsewhere: its stage may be asked for the first time when nobody else is
    /// waited for, and until then has no waker.
    bool is_elsewhere{false};
  };
  struct Config {
    std::string
        timed_as{};  ///< under which name View::levels tells how long this node took; empty: not at all
    Asking asking{Asking::overlapped};
    std::uint32_t threads{1};  ///< for Asking::threads; beside each other they finish children that are local
    /// How long who is late is skipped: the first time, and at most; see WhenLate::skip.
    struct Skip {
      std::chrono::nanoseconds first;
      std::chrono::nanoseconds longest;
    };
    std::optional<Skip> skip{};  ///< nothing: who is late is given up
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
  std::vector<std::unique_ptr<Branch>> branches_;  // wakers of operations stay where they are
  std::unique_ptr<Round> round_;
  std::vector<std::unique_ptr<ViewOperator>> operators_;
  std::chrono::steady_clock::time_point begun_;
};

}  // namespace eventspace
