// The speed of simulations of `whatif`: whatif_figures NETWORK TASKS EVENTS, with NETWORK loggp, ethernet or
// switch. The tasks, a square number, exchange halos with their neighbours in a torus; there are about EVENTS
// events. Prints the number of events, the seconds of the simulation, and the peak memory of this process in
// MiB. For SimGrid, actions count as events, because its own events are not counted.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include <eventspace/error.h>
#include "monitors/whatif/actions/program_builder.h"
#include "monitors/whatif/networks/network.h"
#include "monitors/whatif/simulation/simulate.h"
#include "monitors/whatif/switched/simulate_switched.h"

namespace eventspace::whatif {
namespace {

constexpr Picoseconds us = 1'000'000;
constexpr std::uint64_t halo_bytes = 4096;

Network network_of(std::string_view name) {
  if (name == "ethernet") return {.name = "ethernet", .kind = EthernetNetwork{.bits_per_second = 1e8}};
  if (name == "switch")
    return {.name = "switch", .kind = SwitchedNetwork{.bits_per_second = 1e10, .latency = 5 * us}};
  return {
      .name = "loggp",
      .kind = LogGpNetwork{.latency = 5 * us, .send_overhead = us, .receive_overhead = us, .per_byte = 800}};
}

void add_round(ProgramBuilder& builder, std::uint32_t task, std::uint32_t side) {
  const std::uint32_t row = task / side;
  const std::uint32_t column = task % side;
  const std::uint32_t neighbours[4] = {
      row * side + (column + 1) % side, row * side + (column + side - 1) % side,
      (row + 1) % side * side + column, (row + side - 1) % side * side + column};
  std::vector<std::uint64_t> requests;
  builder.add(task, {.kind = ActionKind::compute, .takes = (50 + task % 7) * us});
  for (std::uint32_t i = 0; i < 4; ++i) {
    // A message that a neighbour sends to the right comes from the left.
    builder.begin(
        task, {.kind = ActionKind::ireceive, .peer = neighbours[i], .tag = i ^ 1U, .bytes = halo_bytes}, i);
    builder.begin(task, {.kind = ActionKind::isend, .peer = neighbours[i], .tag = i, .bytes = halo_bytes},
                  4 + i);
    requests.push_back(i);
    requests.push_back(4 + i);
  }
  builder.wait(task, {.kind = ActionKind::wait}, requests);
}

Program stencil(std::uint32_t side, std::uint64_t rounds) {
  ProgramBuilder builder("stencil");
  builder.declare(std::uint64_t{side} * side);
  for (std::uint32_t task = 0; task < side * side; ++task) {
    for (std::uint64_t round = 0; round < rounds; ++round) add_round(builder, task, side);
    builder.end(task);
  }
  return builder.finish();
}

Outcome outcome_of(const Program& program, const Network& network) {
  std::string simulator;
  auto made = std::holds_alternative<SwitchedNetwork>(network.kind)
                  ? simulate_switched(program, network, {}, simulator)
                  : simulate(program, network);
  return made.value();
}

int run(const std::string& name, std::uint32_t tasks, std::uint64_t events) {
#ifdef SIMGRID_DIRECTORY
  ::setenv("PATH", (std::string(SIMGRID_DIRECTORY ":") + std::getenv("PATH")).c_str(), 1);
#endif
  const Network network = network_of(name);
  const auto side = static_cast<std::uint32_t>(std::lround(std::sqrt(tasks)));
  const std::uint64_t of_a_round = outcome_of(stencil(side, 1), network).events;
  const Program program = stencil(side, (events + of_a_round - 1) / of_a_round);
  const auto begin = std::chrono::steady_clock::now();
  const Outcome made = outcome_of(program, network);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  rusage used{};
  ::getrusage(std::holds_alternative<SwitchedNetwork>(network.kind) ? RUSAGE_CHILDREN : RUSAGE_SELF, &used);
  std::cout << fmt::format("{} {:.6f} {:.1f}\n", made.events, took.count(),
                           static_cast<double>(used.ru_maxrss) / 1024);
  return 0;
}

}  // namespace
}  // namespace eventspace::whatif

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "whatif_figures NETWORK TASKS EVENTS\n";
    return 2;
  }
  try {
    return eventspace::whatif::run(argv[1], static_cast<std::uint32_t>(std::atoi(argv[2])),
                                   std::strtoull(argv[3], nullptr, 10));
  } catch (const eventspace::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
