#include <fmt/format.h>

#include <iostream>
#include <thread>

#include <eventspace/error.h>
#include "monitors/cli/stop_signals.h"
#include "pathmaps/plan/plan_names.h"
#include "pathmaps/sessions/consumer.h"
#include "tests/campaign/account.h"

// campaign_monitor PATHMAP SCOPE: pulls until SIGTERM, then until no more records arrive. Prints the log that
// Runs::check reads:
//
//   watching                                                       the program handles SIGTERM from now on
//   fault TEXT                                                     a violation found by Account
//   change TRACE PROCESS PID CREATED SEQUENCE PID CREATED NAMED    from one run to the next
//   final TRACE PROCESS PID CREATED SEQUENCE                       the last read position
//   drained                                                        no more records arrived
namespace eventspace::testing_campaign {
namespace {

using namespace std::chrono_literals;

std::string position_text(const ReadPosition& position) {
  return fmt::format("{} {} {} {} {}", position.trace, position.process, position.pid, position.created_ns,
                     position.sequence);
}

class Monitor {
 public:
  Monitor(const std::string& pathmap, const std::string& scope)
      : consumer_(pathmap),
        scope_(consumer_.open(scope)),
        account_(
            [this](std::uint32_t path, std::uint16_t point) {
              return consumer_.names().source_of(path, point);
            },
            [this](std::uint32_t process) { return std::string(consumer_.names().process_name(process)); }) {}

  /// Pulls once. Returns true if nothing is missing and no position advanced.
  bool pull() {
    const View view = scope_.pull({});
    for (const std::string& fault : account_.take(view)) std::cout << "fault " << fault << std::endl;
    for (const Account::Change& change : account_.take_changes()) {
      std::cout << "change " << position_text(change.left) << ' ' << change.next.pid << ' '
                << change.next.created_ns << ' ' << change.is_named << std::endl;
    }
    return view.missing.empty() && !account_.has_moved();
  }
  void conclude() const {
    for (const ReadPosition& position : account_.positions())
      std::cout << "final " << position_text(position) << '\n';
    std::cout << "drained" << std::endl;
  }

 private:
  Consumer consumer_;
  EventScope scope_;
  Account account_;
};

int watch(const std::string& pathmap, const std::string& scope) {
  StopSignals signals;
  Monitor monitor(pathmap, scope);
  std::cout << "watching" << std::endl;
  while (!signals.wait_for(10ms)) monitor.pull();
  const Deadline patience = Deadline::after(60s);
  // Servers search for new runs at intervals, so one pull without records does not mean the end.
  for (int quiet = 0; quiet < 3 && !patience.passed();) {
    quiet = monitor.pull() ? quiet + 1 : 0;
    std::this_thread::sleep_for(100ms);
  }
  if (patience.passed()) return 1;
  monitor.conclude();
  return 0;
}

}  // namespace
}  // namespace eventspace::testing_campaign

int main(int argc, char** argv) {
  try {
    return argc == 3 ? eventspace::testing_campaign::watch(argv[1], argv[2]) : 2;
  } catch (const eventspace::Error& error) {
    std::cerr << "campaign_monitor: " << error.what() << '\n';
    return 3;
  }
}
