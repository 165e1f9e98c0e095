#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "monitors/watching/budget_option.h"
#include "monitors/watching/watched.h"

namespace eventspace {

class BudgetLock;
class BudgetWatch;

/// Keeps the budget of a command while it exists, in a thread of its own: measures what recording costs on
/// this machine, then looks about once a second (BudgetWatch), and prints each step on standard error. The
/// destructor restores the settings, and prints the overhead. If another tool of this user keeps a
/// budget of the same session, this one switches nothing until that tool has ended.
///
/// If the budget cannot be kept, everything that is recorded is switched off and stays off, and the command
/// ends as with Ctrl-C (unless `ends_command` is false).
class BudgetKeeper {
 public:
  struct Uses {
    bool may_stretch{true};   ///< the command's pauses may become longer (own_pace.h)
    bool ends_command{true};  ///< the command ends if the budget cannot be kept
    std::function<void(const std::string& line)> say{};  ///< empty: print_message(); called by the thread
  };
  /// For a command that does not pull, and that ends with the application.
  static inline const Uses of_a_run{.may_stretch = false, .ends_command = false, .say = {}};
  /// Does nothing without a budget. Throws ConfigurationError for a recording.
  BudgetKeeper(const Budget& budget, Watched watched, Uses uses);
  BudgetKeeper(const Budget& budget, Watched watched) : BudgetKeeper(budget, std::move(watched), Uses()) {}
  ~BudgetKeeper();
  BudgetKeeper(const BudgetKeeper&) = delete;
  BudgetKeeper& operator=(const BudgetKeeper&) = delete;

  /// Ends the thread as the destructor does, so that the command does not get SIGINT any more. Returns
  /// `status`, the exit status of the command, or exit_found_wrong instead of exit_fine if the budget could
  /// not be kept.
  [[nodiscard]] int status(int status);

 private:
  void run();
  void keep();
  void look_until_over(BudgetWatch& watch, BudgetLock& lock);
  void give_up();
  void end();
  /// Returns true when the thread must end.
  bool wait_for(std::chrono::nanoseconds time);

  const Budget budget_;
  const Watched watched_;
  Uses uses_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_over_{false};
  bool is_kept_{true};
  std::thread thread_;
};

}  // namespace eventspace
