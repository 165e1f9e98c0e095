#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// Probes, as objects, in programs that already run and do not use EventSpace: `eventspace probe` as a
/// library. See docs/running-programs.md for what is possible, safe and refused. Linux on x86-64; the target
/// eventspace::probing.
///
///     probing::Application solver(probing::Group::of_name("lmp"));
///     solver.install({.functions = "solve*", .has_times = true});
///     std::this_thread::sleep_for(5s);
///     for (const probing::Probe& probe : solver.probes()) std::cout << probe.read().calls << '\n';
///
/// A process has probes of one Application at a time. All probes are removed with their Application. Probes
/// of a tool that was killed are removed by the next tool.
namespace eventspace::probing {

/// A process of this machine; a snapshot.
struct Process {
  std::int32_t pid{0};
  std::string name;                   ///< of its program
  std::optional<std::uint64_t> rank;  ///< in its parallel job, if any
};

/// A function of a process.
struct ProcessFunction {
  std::string module;   ///< the path of its file
  std::string name;     ///< demangled
  std::string refusal;  ///< why it cannot be probed; empty: it can
};

/// A set of processes, given by an expression that is evaluated at each use. Immutable and cheap to copy;
/// thread-safe.
class Group {
 public:
  static Group of_pids(std::vector<std::int32_t> pids);
  /// All programs whose name matches the glob.
  static Group of_name(std::string pattern);
  /// The ranks of a parallel job, by the id of its batch system or launcher, or by the pid of its launcher.
  static Group of_job(std::string id);
  /// A group that was defined by `eventspace group`.
  static Group named(std::string name);
  /// All processes of this user for which a condition holds, such as "rank < 4 and memory > 1e9".
  static Group where(std::string condition);

  [[nodiscard]] Group united_with(const Group& other) const;
  [[nodiscard]] Group intersected_with(const Group& other) const;
  [[nodiscard]] Group without(const Group& other) const;

  /// The current processes of the group, by pid; may be empty. Throws ConfigurationError for an invalid
  /// pattern or condition, or an unknown name.
  [[nodiscard]] std::vector<Process> processes() const;

 private:
  struct Meaning;
  explicit Group(std::shared_ptr<const Meaning> meaning) : meaning_(std::move(meaning)) {}
  std::shared_ptr<const Meaning> meaning_;
};

/// The functions of a process whose name matches the glob, of modules whose path or file name matches
/// `modules` (empty: all). Throws EnvironmentError if the process has ended or may not be inspected.
std::vector<ProcessFunction> functions_of(std::int32_t pid, const std::string& pattern,
                                          const std::string& modules = {});

/// The specification of probes.
struct ProbeOrder {
  std::string functions;              ///< a glob, or "=NAME" for exactly this name
  std::string modules{};              ///< a glob of paths or file names; empty: all
  bool has_times{false};              ///< measures calls from entry to exit
  std::string when{};                 ///< only calls for which this condition holds count; empty: all
  std::vector<std::string> values{};  ///< numbers of each call that are summed, limit 4
  std::uint64_t every{1};             ///< only one of this many calls counts
  /// If not empty, calls of the functions by functions that match this are probed instead, one probe for each
  /// place of a call.
  std::string calls_from{};
  /// Only one call of each function counts in each interval of this length: the first for which `when` holds.
  /// Nullopt: all count.
  std::optional<std::chrono::nanoseconds> phase{};
  /// Variables that probes change and that `when` and `values` can read, such as "inside += 1 at =solve" and
  /// "inside += -1 after =solve"; limit 8. Their functions need not be among `functions`: they then get
  /// additional probes, without handles. A process in which one of these cannot be installed gets no probes
  /// of the order. Each order has its own variables in each process, initially 0. Probes that are switched
  /// off or removed do not change them.
  std::vector<std::string> lets{};
};

/// The value of a variable of ProbeOrder::lets in a process.
struct Variable {
  std::string name;
  std::variant<std::int64_t, double> value;  ///< real if its first let is
};

/// The counts and measurements of a probe since it was installed. Times cover calls that have ended.
struct Reading {
  std::uint64_t calls{0};      ///< all entries
  std::uint64_t measured{0};   ///< calls measured to their end; 0 without times, conditions and values
  std::uint64_t passed_by{0};  ///< calls left by an exception or longjmp, or whose probe was switched off
  std::uint64_t left_out{0};   ///< excluded by `when`, `every` and `phase`
  std::chrono::nanoseconds total{};     ///< nested calls of the same function count once
  std::chrono::nanoseconds own{};       ///< total without other probed functions
  std::chrono::nanoseconds least{};     ///< of a call
  std::chrono::nanoseconds greatest{};  ///< of a call
  struct Value {
    std::uint64_t count{0};
    double sum{0};
    double least{0};
    double greatest{0};
  };
  std::vector<Value> values{};        ///< in the order of ProbeOrder::values
  std::vector<Variable> variables{};  ///< all variables of the order in the process, in the order of the lets
  bool is_there{true};  ///< false: the process has ended or runs another program; these are the last numbers
};

/// The result of an order.
struct Outcome {
  struct Refusal {
    std::int32_t pid{0};
    std::string reason;
  };
  std::size_t processes{0};                 ///< that the order was for
  std::size_t done{0};                      ///< that carried it out
  std::size_t probes{0};                    ///< that are now as ordered
  std::vector<Refusal> refusals;            ///< by processes, and of functions in them
  std::chrono::nanoseconds longest_stop{};  ///< the longest time that a thread was stopped at once
};

/// A handle of a probe at a function of a process. It may be copied, and may outlive its Application; its
/// reading then no longer changes, and orders are ignored. Thread-safe. Functions that change the probe block
/// while threads of the process are stopped, and throw EnvironmentError with the reason if that is not
/// possible.
class Probe {
 public:
  [[nodiscard]] std::int32_t pid() const noexcept { return pid_; }
  [[nodiscard]] const std::string& module() const noexcept { return module_; }
  [[nodiscard]] const std::string& function() const noexcept { return function_; }

  /// The current reading. The process keeps running.
  [[nodiscard]] Reading read() const;
  /// Restores the function's code, so that the probe costs nothing. The counts are kept.
  Outcome switch_off() const;
  Outcome switch_on() const;
  /// Like switch_off(), but permanent.
  Outcome remove() const;

 private:
  friend class Application;
  class Home;
  Probe(std::shared_ptr<Home> home, std::int32_t pid, std::string module, std::string function,
        std::uint64_t place)
      : home_(std::move(home)),
        pid_(pid),
        module_(std::move(module)),
        function_(std::move(function)),
        place_(place) {}

  std::shared_ptr<Home> home_;
  std::int32_t pid_;
  std::string module_;
  std::string function_;
  std::uint64_t place_;
};

/// The processes of a group and the probes in them. Thread-safe.
///
/// Each order has two forms. One blocks and returns the outcome. The other takes a callback and returns at
/// once; a thread of the Application carries such orders out one after the other, in their order, and calls
/// the callback with the outcome. Callbacks may give further orders, but must not destroy the Application.
/// Both forms throw ConfigurationError at once for an invalid pattern, condition or value; refusals by
/// processes are in the outcome.
class Application {
 public:
  using Callback = std::function<void(const Outcome&)>;
  /// Called with all probes and their readings.
  using Watcher = std::function<void(const std::vector<std::pair<Probe, Reading>>&)>;

  explicit Application(Group group);
  /// Carries out all pending orders, and removes all probes.
  ~Application();
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  /// The current processes of the group.
  [[nodiscard]] std::vector<Process> processes() const;

  /// Puts probes into the current processes of the group: up to 256 in each by one order, including those for
  /// lets, and up to 16 orders. Existing probes stay; a function that already has one is refused.
  Outcome install(const ProbeOrder& order);
  void install(const ProbeOrder& order, Callback callback);
  /// Switches all probes off or on, including those for lets, or removes them permanently.
  Outcome switch_off();
  void switch_off(Callback callback);
  Outcome switch_on();
  void switch_on(Callback callback);
  Outcome remove();
  void remove(Callback callback);

  /// The probes that were not removed, by process, then by address of the function.
  [[nodiscard]] std::vector<Probe> probes() const;

  /// Calls `watcher` with the readings of all probes at each `interval`, a millisecond or more, from the
  /// Application's thread, between orders. The processes keep running. Replaces the previous watcher.
  void watch(std::chrono::nanoseconds interval, Watcher watcher);
  /// After it returns, the watcher is not running and will not be called, unless a callback calls this.
  void stop_watching();
  /// Waits until all earlier orders with callbacks are carried out. Must not be called by a callback.
  void wait();

 private:
  class Orders;
  Group group_;
  std::shared_ptr<Probe::Home> home_;
  std::unique_ptr<Orders> orders_;
};

}  // namespace eventspace::probing
