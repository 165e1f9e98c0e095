#include <fmt/format.h>

#include <atomic>
#include <iostream>
#include <memory>
#include <thread>
#include <vector>

#include <eventspace/error.h>
#include "monitors/cli/signal_waiter.h"
#include "pathmaps/pathmap.h"
#include "pathmaps/plan/plan_names.h"
#include "pathmaps/sessions/consumer.h"
#include "tests/campaign/account.h"

// campaign_crowd PATHMAP SCOPE COUNT: runs COUNT consumers in one process, each with its own connections. At
// the start and after each SIGHUP, every consumer pulls once, and the program prints the result of the round:
//
//   round NUMBER whole W refused R faulty F records N
//
// W, R and F count the consumers whose view was complete, refused, or wrong. SIGTERM ends the program
// normally.
namespace eventspace::testing_campaign {
namespace {

using namespace std::chrono_literals;

class OneOfMany {
 public:
  OneOfMany(const std::shared_ptr<const Plan>& plan, const std::string& scope)
      : consumer_(plan),
        scope_(consumer_.open(scope)),
        account_(
            [this](std::uint32_t path, std::uint16_t point) {
              return consumer_.names().source_of(path, point);
            },
            [this](std::uint32_t process) { return std::string(consumer_.names().process_name(process)); }) {}

  struct Counts {
    std::atomic<std::uint64_t> whole{0}, refused{0}, faulty{0}, records{0};
  };
  void pull(Counts& counts) {
    const View view = scope_.pull({Deadline::after(30s), false});
    counts.records += view.records.size();
    if (view.missing.empty()) ++counts.whole;
    for (const Missing& missing : view.missing) {
      if (missing.cause == MissingCause::refused) ++counts.refused;
      if (!told_.exchange(true))
        std::cout << "missing " << missing.what << ": " << missing.detail << std::endl;
    }
    for (const std::string& fault : account_.take(view)) {
      ++counts.faulty;
      std::cout << fmt::format("fault {}\n", fault) << std::flush;
    }
  }

 private:
  inline static std::atomic<bool> told_{false};
  Consumer consumer_;
  EventScope scope_;
  Account account_;
};

using Crowd = std::vector<std::unique_ptr<OneOfMany>>;

void pull_all(Crowd& crowd, int round) {
  constexpr std::size_t threads = 8;
  OneOfMany::Counts counts;
  std::vector<std::jthread> pulling;
  for (std::size_t first = 0; first < threads; ++first) {
    pulling.emplace_back([&, first] {
      for (std::size_t i = first; i < crowd.size(); i += threads) crowd[i]->pull(counts);
    });
  }
  pulling.clear();
  std::cout << fmt::format("round {} whole {} refused {} faulty {} records {}", round, counts.whole.load(),
                           counts.refused.load(), counts.faulty.load(), counts.records.load())
            << std::endl;
}

int watch(const std::string& pathmap, const std::string& scope, std::size_t count) {
  SignalWaiter signals{SIGHUP, SIGTERM};
  const auto plan = std::make_shared<const Plan>(require_plan(pathmap));
  Crowd crowd;
  for (std::size_t i = 0; i < count; ++i) crowd.push_back(std::make_unique<OneOfMany>(plan, scope));
  int round = 0;
  do {
    pull_all(crowd, ++round);
  } while (signals.next(24h) == SIGHUP);
  return 0;
}

}  // namespace
}  // namespace eventspace::testing_campaign

int main(int argc, char** argv) {
  try {
    return argc == 4
               ? eventspace::testing_campaign::watch(argv[1], argv[2], std::strtoul(argv[3], nullptr, 10))
               : 2;
  } catch (const std::exception& error) {
    std::cerr << "campaign_crowd: " << error.what() << '\n';
    return 3;
  }
}
