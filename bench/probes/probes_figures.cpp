// The duration of an order to the processes of several machines: probes_figures HOSTS FAN_OUT LAUNCHER
// PROGRAM WHERE ROUNDS starts a network of agents, whose `eventspace` is PROGRAM, and lets them list the
// processes for which the condition WHERE holds. Prints the time of connecting, until the first answer, and
// the median time of further orders, both in milliseconds; and the number of processes that answered.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <eventspace/error.h>
#include "monitors/probing/nodes/node_work.h"

namespace {

using eventspace::GroupAnswer;
using eventspace::GroupOrder;
using std::chrono::steady_clock;

double ms_since(steady_clock::time_point begun) {
  return std::chrono::duration<double, std::milli>(steady_clock::now() - begun).count();
}

void measure(const eventspace::NodeChoice& nodes, const std::string& where, int rounds) {
  GroupOrder order;
  order.choice.where = where;
  const auto begun = steady_clock::now();
  eventspace::GroupWorkOnNodes work(nodes);
  const GroupAnswer first = work.carry_out(order);
  const double connected = ms_since(begun);
  if (!work.network().failures().empty())
    throw eventspace::EnvironmentError(work.network().failures().front());
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) {
    const auto asked = steady_clock::now();
    (void)work.carry_out(order);
    times.push_back(ms_since(asked));
  }
  std::ranges::sort(times);
  fmt::print("{:.3f} {:.3f} {}\n", connected, times[times.size() / 2], first.done);
}

}  // namespace

int main(int count, char** words) {
  if (count != 7) return 2;
  try {
    measure({.hosts = words[1],
             .launcher = words[3],
             .program = words[4],
             .fan_out = static_cast<std::size_t>(std::max(std::atoi(words[2]), 1))},
            words[5], std::max(std::atoi(words[6]), 1));
    return 0;
  } catch (const eventspace::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
