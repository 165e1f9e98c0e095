#include "monitors/whatif/recording/fitted_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "monitors/whatif/actions/amounts.h"
#include "monitors/whatif/recording/message_samples.h"

namespace eventspace::whatif {
namespace {

constexpr std::size_t min_samples = 3;

using Point = std::pair<std::uint64_t, double>;  // bytes, ns

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Fits through the medians of each size class (number of bits), so that a few long durations, such as of a
// task that was not scheduled, have no effect. Weights are those of relative errors; otherwise large messages
// would determine the latency.
FittedLine line_through(const std::vector<Point>& points) {
  std::map<int, std::pair<std::vector<double>, std::vector<double>>> classes;
  for (const auto& [bytes, ns] : points) {
    auto& [sizes, times] = classes[static_cast<int>(std::bit_width(bytes))];
    sizes.push_back(static_cast<double>(bytes));
    times.push_back(std::max(ns, 1.0));
  }
  double w = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [bits, of] : classes) {
    const double size = median(of.first);
    const double time = median(of.second);
    const double weight = std::sqrt(static_cast<double>(of.first.size())) / (time * time);
    w += weight;
    x += weight * size;
    y += weight * time;
    xx += weight * size * size;
    xy += weight * size * time;
  }
  FittedLine line{.samples = points.size()};
  if (points.empty()) return line;
  const double spread = w * xx - x * x;
  if (classes.size() > 1 && spread > 0) line.ns_per_byte = std::max((w * xy - x * y) / spread, 0.0);
  line.intercept_ns = std::max((y - line.ns_per_byte * x) / w, 0.0);
  std::vector<double> off;
  off.reserve(points.size());
  for (const auto& [bytes, ns] : points)
    off.push_back(std::abs(ns - line.at(bytes)) / std::max(line.at(bytes), 1.0));
  line.residual = median(std::move(off));
  return line;
}

// Recordings may have longer times than can be simulated.
Picoseconds ps(double ns) {
  constexpr auto most = static_cast<double>(longest_time);
  return std::min<Picoseconds>(std::llround(std::clamp(ns * 1000, -most, most)), longest_time);
}

/// Fits the three lines, and finds the size from which messages wait for their receives.
class Fitting {
 public:
  explicit Fitting(const RecordedProgram& recorded) : samples_(message_samples(recorded)) {
    fit_transit(recorded);
    fit_taking();
    fit_sending();
    if (recorded.sends_may_wait) find_rendezvous();
  }

  FittedNetwork made() const {
    FittedNetwork fitted{.transit = transit_, .sending = sending_, .taking = taking_};
    LogGpNetwork network;
    const double overheads = sending_.intercept_ns + taking_.intercept_ns;
    network.send_overhead = ps(std::min(sending_.intercept_ns, transit_.intercept_ns));
    network.receive_overhead =
        std::min(ps(taking_.intercept_ns),
                 std::max<Picoseconds>(ps(transit_.intercept_ns) - network.send_overhead, 0));
    network.latency = ps(std::max(transit_.intercept_ns - overheads, 0.0));
    network.per_byte =
        std::max(transit_.ns_per_byte - sending_.ns_per_byte - taking_.ns_per_byte, 0.0) * 1000;
    network.rendezvous = rendezvous_;
    fitted.network.kind = network;
    add_notes(fitted);
    return fitted;
  }

 private:
  void fit_transit(const RecordedProgram& recorded) {
    std::vector<Point> points;
    for (const MessageSample& sample : samples_) {
      const bool was_waiting = sample.taken.begin_ns <= sample.sent.begin_ns;
      const std::int64_t transit = sample.taken.end_ns - sample.sent.begin_ns;
      if (was_waiting && transit > 0) points.emplace_back(sample.bytes, static_cast<double>(transit));
    }
    if (points.size() < min_samples) {
      for (const GroupSample& sample : group_samples(recorded))
        points.emplace_back(sample.bytes, sample.step_ns);
      uses_groups_ = !points.empty();
    }
    transit_ = line_through(points);
  }

  // Whether a message had certainly arrived by `time`.
  [[nodiscard]] bool had_come(const MessageSample& sample, std::int64_t time) const {
    const double allowed = 2 * transit_.at(sample.bytes);
    return sample.sent.end_ns <= time && static_cast<double>(time - sample.sent.begin_ns) > allowed;
  }

  void fit_taking() {
    std::vector<Point> points;
    for (const MessageSample& sample : samples_) {
      if (had_come(sample, sample.taken.begin_ns))
        points.emplace_back(sample.bytes, static_cast<double>(sample.taken.duration()));
    }
    if (points.size() >= min_samples) taking_ = bounded(line_through(points));
  }

  void fit_sending() {
    std::vector<Point> points;
    for (const MessageSample& sample : samples_) {
      if (sample.is_answered) continue;
      const bool may_wait = sample.is_blocking_send && sample.posted_ns > sample.sent.begin_ns;
      if (!may_wait) points.emplace_back(sample.bytes, static_cast<double>(sample.sent.duration()));
    }
    if (points.size() < min_samples) {
      points.clear();
      for (const MessageSample& sample : samples_) {
        if (!sample.is_answered)
          points.emplace_back(sample.bytes, static_cast<double>(sample.sent.duration()));
      }
    }
    if (points.empty()) return fit_answered_sending();
    sending_ = bounded(line_through(points));
  }

  // An answered send lasts for the sender's own work plus two latencies: of the message and of its answer.
  // Transit has the same work and one latency.
  void fit_answered_sending() {
    std::vector<Point> points;
    for (const MessageSample& sample : samples_)
      points.emplace_back(sample.bytes, static_cast<double>(sample.sent.duration()));
    answered_ = line_through(points);
    const double work = 2 * (transit_.intercept_ns - taking_.intercept_ns) - answered_.intercept_ns;
    sending_.intercept_ns = std::clamp(work, 0.0, transit_.intercept_ns);
  }

  // An overhead cannot exceed the transit of which it is a part.
  [[nodiscard]] FittedLine bounded(FittedLine line) const {
    line.intercept_ns = std::min(line.intercept_ns, transit_.intercept_ns / 2);
    line.ns_per_byte = std::min(line.ns_per_byte, transit_.ns_per_byte / 2);
    return line;
  }

  // Considers sends whose receive was posted much later: a send that lasted until then waited for it.
  void find_rendezvous() {
    std::map<int, std::pair<std::uint64_t, std::uint64_t>> classes;  // by bits: waited, all
    for (const MessageSample& sample : samples_) {
      const double alone = 2 * transit_.at(sample.bytes);
      if (!sample.is_blocking_send || sample.is_answered ||
          static_cast<double>(sample.posted_ns - sample.sent.begin_ns) < alone)
        continue;
      auto& [waited, all] = classes[static_cast<int>(std::bit_width(sample.bytes))];
      ++all;
      if (sample.sent.end_ns > sample.posted_ns) ++waited;
    }
    for (auto of = classes.rbegin(); of != classes.rend(); ++of) {
      if (of->second.first * 2 <= of->second.second) break;
      rendezvous_ = of->first == 0 ? 0 : (std::uint64_t{1} << (of->first - 1)) - 1;
    }
  }

  void add_notes(FittedNetwork& fitted) const {
    const auto note = [&](const char* what, const FittedLine& line) {
      if (line.samples == 0) return;
      fitted.notes.push_back(fmt::format("{}: {} and {} a byte; half of {} samples are within {:.0f} %", what,
                                         to_text(ps(line.intercept_ns)), to_text(ps(line.ns_per_byte)),
                                         line.samples, line.residual * 100));
    };
    note(uses_groups_ ? "transit, from collective operations" : "transit", transit_);
    note("sending", sending_);
    note("writing to another node, with its answer", answered_);
    note("taking", taking_);
    if (transit_.samples == 0)
      fitted.notes.emplace_back(
          "no receive was waiting for its message: latency and rate are unknown, and are "
          "assumed to be infinitely good");
  }

  std::vector<MessageSample> samples_;
  FittedLine transit_, sending_, taking_, answered_;
  std::optional<std::uint64_t> rendezvous_;
  bool uses_groups_{false};
};

}  // namespace

FittedNetwork fit_network(const RecordedProgram& recorded) { return Fitting(recorded).made(); }

void separate_overheads(RecordedProgram& recorded, const FittedNetwork& fitted) {
  const auto& network = std::get<LogGpNetwork>(fitted.network.kind);
  const auto part = [](const FittedLine& line, std::uint64_t bytes, Picoseconds most) {
    return std::min(ps(line.at(bytes)), most);
  };
  for (std::uint32_t number = 0; number < recorded.program.tasks.size(); ++number) {
    Task& task = recorded.program.tasks[number];
    std::vector<std::uint64_t> received(task.requests);  // bytes that a request receives
    for (Action& action : task.actions) {
      const bool waits = network.rendezvous && action.bytes > *network.rendezvous;
      if (action.kind == ActionKind::isend || action.kind == ActionKind::ireceive)
        received[action.request] = action.kind == ActionKind::ireceive ? action.bytes : 0;
      if (action.kind == ActionKind::send && (waits || action.has(Mark::sync) || action.has(Mark::answered)))
        action.takes = part(fitted.sending, action.bytes, action.takes);
      // A task does not wait for a message to itself: its whole duration is the library's work.
      if (action.kind == ActionKind::receive && action.peer != number)
        action.takes = part(fitted.taking, action.bytes, action.takes);
      if (action.kind == ActionKind::wait) {
        const bool receives = received[action.request] > 0;
        action.takes = receives ? part(fitted.taking, received[action.request], action.takes) : 0;
      }
      if (action.kind == ActionKind::group) action.takes = 0;
    }
  }
}

}  // namespace eventspace::whatif
