#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "monitors/heartbeat/heartbeat_analysis.h"
#include "monitors/heartbeat/job_health.h"
#include "monitors/top/event_rates.h"
#include "monitors/top/sample.h"
#include "monitors/top/streams.h"
#include "pathmaps/plan/plan.h"

namespace eventspace::top {

using std::chrono::nanoseconds;

/// One event collector of a path of a thread.
struct PathState {
  std::uint32_t path{0};
  std::uint16_t point{0};
  std::optional<EventRecord> last;
  std::optional<EventRecord> in_flight;
  std::optional<nanoseconds> took;       ///< the duration of `last`
  std::optional<nanoseconds> ended_ago;  ///< the time since `last` ended
  std::optional<nanoseconds> in_flight_for;
  EventRates::Rate rate;
  /// How long its trace element keeps an event at the present rate. To see all events, pull more often than
  /// that.
  std::optional<nanoseconds> kept_for;
};

struct ThreadState {
  ThreadHealth health;
  std::vector<PathState> paths;  ///< in the order of the plan
  /// The sum over its paths. Each operation counts once, at the first collector of its path that the scope
  /// reads.
  EventRates::Rate rate;
  std::int32_t tid{0};              ///< 0 if unknown, such as before the thread has bound itself
  char kernel_state{'?'};           ///< as in ThreadReport
  nanoseconds cpu{};                ///< processor time used
  std::optional<double> cpu_share;  ///< of one processor, since the previous look
  std::size_t waiting{0};           ///< number of threads that wait for it, if it is a culprit
  bool is_culprit{false};
};

struct ServerState {
  std::size_t node{0};
  ServerSample sample;
  std::optional<double> requests_per_second;
};

/// The duration of a part of the scope.
struct PartTime {
  std::string name;  ///< "node n1"
  nanoseconds last{};
  nanoseconds mean{};
  nanoseconds longest{};
};

/// The cost of watching since a look about a second ago, or since the previous one if that is older.
struct WatchRates {
  double pulls_per_second{0};
  nanoseconds pull{};
  double cpu_share{0};
  double bytes_per_second{0};
};

/// The state that screens show, at one look.
struct State {
  std::vector<ThreadState> threads;  ///< in the order of the plan
  HealthReport health;
  std::map<std::uint32_t, ProcessReport> processes;  ///< reported by the last pull, by number
  std::optional<double> events_per_second;
  std::optional<nanoseconds> kept_for;              ///< the shortest of all paths
  std::uint32_t kept_by{0};                         ///< the path with that time
  std::vector<ServerState> servers;                 ///< in the order of the plan; empty if not asked
  std::vector<CollectiveSample> collectives;        ///< empty if not sampled yet
  std::optional<std::vector<StreamState>> streams;  ///< of all networks; nullopt if not queried yet
  std::size_t servers_in_scope{0};                  ///< number of servers that the scope asks
  std::size_t servers_silent{0};                    ///< number of these that the last pull missed
  std::vector<PartTime> parts;                      ///< outermost first
  std::vector<Missing> missing;                     ///< of the last pull
  Loss loss;                                        ///< of all pulls
  std::uint64_t pulls{0};
  std::uint64_t partial{0};
  std::uint64_t trace_elements{0};  ///< read by the last pull
  WatchRates watching;
  nanoseconds since_start{};
};

/// Turns samples into the state that the screens show. Does no I/O; remembers earlier samples. Not
/// thread-safe.
class Model {
 public:
  /// `tree` is the scope through which the samples are pulled. `names` and `plan` must outlive this object.
  Model(const Plan& plan, const PlanNames& names, const ScopeTree& tree, nanoseconds stall_after);

  const State& observe(const Sample& sample);
  [[nodiscard]] const State& state() const noexcept { return state_; }
  /// Whether every pull was partial and none had an event.
  [[nodiscard]] bool saw_nothing() const noexcept { return !saw_events_ && state_.partial == state_.pulls; }

 private:
  struct Before {
    WatchCost::Sum cost;
    std::uint64_t bytes{0};
  };
  struct Kernel {
    std::int32_t tid{0};
    std::uint64_t cpu_ns{0};
    std::uint64_t ticks{0};
  };
  struct Requests {
    std::int32_t pid{0};
    std::uint64_t count{0};
    std::chrono::steady_clock::time_point at;
  };
  struct Part {
    std::uint64_t pulls{0};
    nanoseconds sum{};
    nanoseconds longest{};
  };

  void observe_threads(const View& view);
  void add_record(const EventRecord& record, ThreadState& thread);
  void add_kernel(const ProcessReport& process, const ThreadReport& report, ThreadState& thread);
  void sum_up(ThreadState& thread);
  void observe_servers(const Sample& sample);
  void observe_parts(const View& view);
  void observe_cost(const Sample& sample);

  const Plan* plan_;
  const PlanNames* names_;
  std::vector<std::string> servers_;  // those that the scope asks, as View::missing names them
  HeartbeatAnalysis analysis_;
  JobHealth job_;
  EventRates rates_;
  StreamWatch streams_;
  std::unordered_map<std::uint32_t, Kernel> kernel_;
  std::unordered_map<std::size_t, Requests> requests_;
  std::map<std::string, Part> parts_;
  std::map<std::string, std::size_t> order_;  // of the parts, as in the tree
  std::optional<std::chrono::steady_clock::time_point> start_;
  Before before_;
  bool saw_events_{false};
  State state_;
};

}  // namespace eventspace::top
