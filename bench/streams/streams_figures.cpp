// The figures of the MRNet paper (Roth, Arnold, Miller, SC'03) for whole tools: the share of the daemons'
// samples with which the front-end keeps up (figure 9), the errors of clock skews (section 4.2.1), and
// latency and throughput of one broadcast and of one aggregation (section 2.6). All processes of a network
// are processes of this program.
//
//     streams_figures load TOPOLOGY SECONDS METRICS[,METRICS...]   prints METRICS SHARE for each
//     streams_figures skew TOPOLOGY ROUNDS tree|direct             prints the mean error, its standard
//                                                                  deviation, the mean bound, in microseconds
//     streams_figures basics TOPOLOGY PACKETS                      prints five numbers, see run_basics
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <eventspace/packet.h>
#include <eventspace/stream_filter.h>
#include <eventspace/stream_network.h>
#include <eventspace/streams.h>
#include "bench/run_program.h"
#include "tuplespace/processes/process_stat.h"

namespace eventspace::bench {
namespace {

using namespace std::chrono_literals;
using namespace eventspace::streams;
using Words = std::vector<std::string>;
using Clock = std::chrono::steady_clock;

constexpr auto sample_time = 200ms;  // five samples a second, as Paradyn's daemons began with
constexpr auto warm_up = 1s;
Deadline soon() { return Deadline::after(120s); }

/// The front-end's order to the daemons: the metrics in a packet, and the duration.
using Order = Format<std::uint32_t, std::int64_t>;
/// Begin and end of a sample, and a number for each metric.
using Sample = Format<std::int64_t, std::int64_t, std::span<const double>>;

/// Other requests of the front-end to the daemons, by the tag of a packet: to report its arrival; nothing; to
/// send a number of packets.
enum Tag : std::int32_t { stamp = 1, nothing = 2, burst = 3 };
using Number = Format<std::int64_t>;

std::int64_t nanoseconds_of(Clock::time_point time) {
  return std::chrono::nanoseconds(time.time_since_epoch()).count();
}

// --- clocks that are wrong by known times ---------------------------------------------------------------

std::int64_t time_of_day() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}
/// Up to half a second, ahead or behind.
std::int64_t ahead_of_rank(RankSet::Rank rank) {
  return (rank * 7919 % 1000 - 500) * std::int64_t{1'000'000};
}
std::int64_t ahead_of_process(std::uint32_t process) {
  return process == 0 ? 0 : (process * 104729 % 1000 - 500) * std::int64_t{1'000'000};
}
constexpr const char* shifted = "shifted_clock_skew";

// --- the daemons ----------------------------------------------------------------------------------------

/// Sends samples until the time is over. A sample that does not fit waits, and the next covers a longer time:
/// so a slow front-end gets fewer samples than offered.
void send_samples(BackEnd& back_end, const Received& order) {
  const Order::Read read(order.packet);
  const auto [metrics, duration] = read.values();
  const std::vector<double> ones(metrics, 1.0);
  const Clock::time_point end = Clock::now() + std::chrono::nanoseconds(duration);
  // Daemons are not in step.
  back_end.serve(Deadline::after(sample_time * (back_end.rank() * 37 % 100) / 100));
  Clock::time_point begin = Clock::now();
  while (begin < end && !back_end.has_ended()) {
    back_end.serve(Deadline::after(begin + sample_time - Clock::now()));
    const Clock::time_point now = Clock::now();
    (void)back_end.send(order.stream, Sample::make(0, nanoseconds_of(begin), nanoseconds_of(now), ones),
                        Deadline::after(end - now));
    begin = now;
  }
}

void do_as_asked(BackEnd& back_end, const Received& received) {
  switch (received.packet.tag) {
    case stamp:
      (void)back_end.answer(received, Number::make(0, nanoseconds_of(Clock::now())), soon());
      break;
    case nothing:
      break;
    case burst:
      for (std::int64_t left = PacketView(received.packet).number<std::int64_t>(0); left > 0; --left)
        (void)back_end.send(received.stream, Number::make(0, 1), soon());
      break;
    default:
      send_samples(back_end, received);
  }
}

int run_daemon() {
  FilterRegistry::instance().add(clock_skew_filter(shifted, ahead_of_process));
  BackEnd back_end(AttachPoint::from_environment(), Deadline::after(60s));
  const RankSet::Rank rank = back_end.rank();
  while (const auto received = back_end.receive(Deadline::never())) {
    if (answer_clock_skew(back_end, *received, [rank] { return time_of_day() + ahead_of_rank(rank); }))
      continue;
    do_as_asked(back_end, *received);
  }
  return 0;
}

int run_internal() {
  FilterRegistry::instance().add(clock_skew_filter(
      shifted, [](std::uint32_t process) { return time_of_day() + ahead_of_process(process); }));
  return serve_start_sheet(std::cin);
}

// --- the front-end --------------------------------------------------------------------------------------

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double microseconds_from(std::int64_t begin, std::int64_t end) {
  return static_cast<double>(end - begin) / 1000;
}

/// The processor time of the internal processes on this machine, in microseconds.
double time_of_internal_processes() {
  std::chrono::duration<double, std::micro> time{0};
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream command(entry.path() / "cmdline");
    std::string program;
    std::string part;
    std::getline(std::getline(command, program, '\0'), part, '\0');
    if (part != "internal" || program.find("streams_figures") == std::string::npos) continue;
    if (const auto stat = read_process_stat(std::stoi(entry.path().filename()))) time += stat->cpu;
  }
  return time.count();
}

class Tool {
 public:
  Tool(const std::string& program, const std::string& topology)
      : network_(Topology::of_text(topology),
                 {.internal = {program, "internal"}, .back_end = {program, "daemon"}}) {
    network_.wait_until_ready(soon());
  }

  [[nodiscard]] FrontEnd& front_end() { return network_.front_end(); }
  [[nodiscard]] std::size_t daemons() { return front_end().topology().back_ends(); }

  /// The share of the offered samples that arrives, in the steady state.
  double share_of_load(std::uint32_t metrics, std::chrono::nanoseconds duration) {
    const std::uint32_t stream = front_end().open(
        {.synchronise = Synchronise::do_not_wait,
         .up = {{.name = "aligned", .parameters = {{"interval", std::chrono::nanoseconds(sample_time)}}}}});
    const std::chrono::nanoseconds whole = warm_up + duration + warm_up;
    (void)front_end().send(stream, Order::make(0, metrics, whole.count()), soon());
    (void)receive_until(stream, Deadline::after(warm_up));
    const Clock::time_point begin = Clock::now();
    const double samples = receive_until(stream, Deadline::after(duration));
    const std::chrono::duration<double> took = Clock::now() - begin;
    const double offered = static_cast<double>(daemons()) * metrics * (took / sample_time);
    (void)receive_until(stream, Deadline::after(warm_up + sample_time));  // until all have stopped
    front_end().close(stream);
    return samples / offered;
  }

  struct Latency {
    double broadcast;
    double aggregation;
  };
  /// Medians in microseconds: from sending a packet until the last daemon has it, and from the last daemon's
  /// answer until the wave arrives.
  Latency latency(int rounds) {
    const std::uint32_t stream = front_end().open({.up = {{"max", {}}}});
    std::vector<double> down;
    std::vector<double> up;
    for (int round = 0; round < rounds; ++round) {
      const std::int64_t begin = nanoseconds_of(Clock::now());
      const std::int64_t last = ask(stream, stamp, 0);
      down.push_back(microseconds_from(begin, last));
      up.push_back(microseconds_from(last, nanoseconds_of(Clock::now())));
    }
    front_end().close(stream);
    return {median_of(down), median_of(up)};
  }
  /// Consecutive broadcasts per second.
  double broadcasts(std::int64_t packets) {
    const std::uint32_t stream = front_end().open({.up = {{"max", {}}}});
    (void)ask(stream, stamp, 0);
    const Clock::time_point begin = Clock::now();
    for (std::int64_t i = 0; i < packets; ++i)
      (void)front_end().send(stream, Number::make(nothing, i), soon());
    (void)ask(stream, stamp, 0);
    const std::chrono::duration<double> took = Clock::now() - begin;
    front_end().close(stream);
    return static_cast<double>(packets) / took.count();
  }
  /// Aggregations per second, of packets that daemons send unrequested.
  double aggregations(std::int64_t packets) {
    const std::uint32_t stream = front_end().open({.up = {{"sum", {}}}});
    (void)front_end().send(stream, Number::make(burst, packets), soon());
    (void)receive(stream);
    const Clock::time_point begin = Clock::now();
    for (std::int64_t i = 1; i < packets; ++i) (void)receive(stream);
    const std::chrono::duration<double> took = Clock::now() - begin;
    front_end().close(stream);
    return static_cast<double>(packets - 1) / took.count();
  }

 private:
  std::int64_t receive(std::uint32_t stream) {
    const auto packet = front_end().receive(stream, soon());
    if (!packet) throw std::runtime_error("a wave did not come");
    return PacketView(*packet).number<std::int64_t>(0);
  }
  std::int64_t ask(std::uint32_t stream, Tag tag, std::int64_t number) {
    (void)front_end().send(stream, Number::make(tag, number), soon());
    return receive(stream);
  }
  /// The samples that arrive by then, counted over all intervals together.
  double receive_until(std::uint32_t stream, Deadline deadline) {
    double samples = 0;
    while (const auto packet = front_end().receive(stream, deadline)) {
      const Sample::Read read(*packet);
      const std::span<const double> sums = std::get<2>(read.values());
      for (const double sum : sums) samples += sum;
      if (deadline.passed()) break;
    }
    return samples;
  }

  LaunchedNetwork network_;
};

int run_load(const std::string& program, const Words& words) {
  Tool tool(program, words.at(1));
  const auto duration = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(std::stod(words.at(2))));
  std::istringstream list(words.at(3));
  for (std::string metrics; std::getline(list, metrics, ',');) {
    const auto count = static_cast<std::uint32_t>(std::stoul(metrics));
    fmt::print("{} {:.4f}\n", count, tool.share_of_load(count, duration));
    std::cout.flush();
  }
  return 0;
}

int run_skew(const std::string& program, const Words& words) {
  FilterRegistry::instance().add(clock_skew_filter(shifted, [](std::uint32_t) { return time_of_day(); }));
  Tool tool(program, words.at(1));
  const ClockSkewOptions options{
      .rounds = static_cast<std::uint32_t>(std::stoul(words.at(2))), .filter = shifted, .time_out = 10s};
  const ClockSkews skews = words.at(3) == "direct"
                               ? measure_clock_skew_directly(tool.front_end(), options, soon())
                               : measure_clock_skew(tool.front_end(), options, soon());
  if (skews.size() != tool.daemons()) throw std::runtime_error("not all clocks were measured");
  double sum = 0;
  double squares = 0;
  double bounds = 0;
  for (const auto& [rank, skew] : skews) {
    const double error =
        std::abs(static_cast<double>(skew.ahead.count() - ahead_of_rank(rank))) / 1000;  // microseconds
    sum += error;
    squares += error * error;
    bounds += static_cast<double>(skew.bound.count()) / 1000;
  }
  const auto count = static_cast<double>(skews.size());
  const double mean = sum / count;
  fmt::print("{:.3f} {:.3f} {:.3f}\n", mean, std::sqrt(std::max(0.0, squares / count - mean * mean)),
             bounds / count);
  return 0;
}

int run_basics(const std::string& program, const Words& words) {
  Tool tool(program, words.at(1));
  const std::int64_t packets = std::stoll(words.at(2));
  const Tool::Latency latency = tool.latency(200);
  const double broadcasts = tool.broadcasts(packets);
  const double before = time_of_internal_processes();
  const double aggregations = tool.aggregations(packets);
  const double cpu = (time_of_internal_processes() - before) / static_cast<double>(packets);
  // Median times of a broadcast and of an aggregation in microseconds, the rates of both per second, and the
  // processor time of all internal processes for an aggregation, in microseconds.
  fmt::print("{:.3f} {:.3f} {:.3f} {:.3f} {:.4f}\n", latency.broadcast, latency.aggregation, broadcasts,
             aggregations, cpu);
  return 0;
}

int run(const std::string& program, const Words& words) {
  if (words.at(0) == "daemon") return run_daemon();
  if (words.at(0) == "internal") return run_internal();
  if (words.at(0) == "basics") return run_basics(program, words);
  return words.at(0) == "load" ? run_load(program, words) : run_skew(program, words);
}

}  // namespace
}  // namespace eventspace::bench

int main(int count, char** words) {
  return eventspace::bench::run_program("streams_figures", [&] {
    return eventspace::bench::run(words[0], std::vector<std::string>(words + 1, words + count));
  });
}
