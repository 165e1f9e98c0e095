#include "monitors/budget/budget_keeper.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <utility>

#include <eventspace/error.h>
#include "monitors/budget/budget_lock.h"
#include "monitors/budget/budget_text.h"
#include "monitors/budget/budget_watch.h"
#include "monitors/budget/record_costs.h"
#include "monitors/cli/command.h"
#include "monitors/text/plain_output.h"
#include "monitors/watching/own_pace.h"
#include "pathmaps/plan/plan_names.h"
#include "tuplespace/system/library_thread.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

// The first looks come soon, because everything is recorded until then.
constexpr nanoseconds first_pause = 100ms;
constexpr nanoseconds usual_pause = 1s;
constexpr std::uint32_t longest_stretch = 4;

}  // namespace

BudgetKeeper::BudgetKeeper(const Budget& budget, Watched watched, Uses uses)
    : budget_(budget), watched_(std::move(watched)), uses_(std::move(uses)) {
  if (budget_ && watched_.recorded != nullptr)
    throw ConfigurationError(
        "--budget needs a running session; reading a recording costs its program nothing");
  if (!uses_.say) uses_.say = [](const std::string& line) { print_message(line); };
  if (budget_) thread_ = start_library_thread([this] { run(); });
}

BudgetKeeper::~BudgetKeeper() { end(); }

void BudgetKeeper::end() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
  stretch_own_pauses(1);
}

int BudgetKeeper::status(int status) {
  end();
  const std::lock_guard lock(mutex_);
  return status == exit_fine && !is_kept_ ? exit_found_wrong : status;
}

void BudgetKeeper::run() {
  try {
    keep();
  } catch (const std::exception& error) {
    uses_.say(fmt::format("budget {}: not kept from now on: {}", text_of_budget(*budget_), error.what()));
    const std::lock_guard lock(mutex_);
    is_kept_ = false;
  }
}

void BudgetKeeper::keep() {
  const auto session = make_budgeted_session(watched_);
  BudgetLock lock(session->name());
  BudgetWatch watch(*session,
                    {.budget = *budget_, .costs = measure_record_costs(), .may_stretch = uses_.may_stretch},
                    uses_.say);
  std::string fault;
  try {
    look_until_over(watch, lock);
  } catch (const std::exception& error) {
    fault = error.what();
  }
  watch.restore();
  watch.say_sum();
  if (!fault.empty())
    throw EnvironmentError(fmt::format("{}; {}", fault, text_of_restoring(session->name())));
  if (!watch.is_kept()) give_up();
}

void BudgetKeeper::look_until_over(BudgetWatch& watch, BudgetLock& lock) {
  bool has_said_other = false;
  nanoseconds pause = first_pause;
  do {
    const bool is_keeper = lock.take();
    if (!is_keeper && !std::exchange(has_said_other, true))
      uses_.say(fmt::format("budget {}: {}", text_of_budget(*budget_), text_of_other_keeper(lock.holder())));
    watch.look(is_keeper);
    if (uses_.may_stretch) stretch_own_pauses(watch.control().stretch());
    pause = std::min(2 * pause, usual_pause * std::min(watch.control().stretch(), longest_stretch));
    if (!watch.is_kept()) break;
  } while (!wait_for(pause));
}

void BudgetKeeper::give_up() {
  const std::lock_guard guard(mutex_);
  is_kept_ = false;
  if (uses_.ends_command && !is_over_) ::kill(::getpid(), SIGINT);
}

bool BudgetKeeper::wait_for(nanoseconds time) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, time, [this] { return is_over_; });
}

}  // namespace eventspace
