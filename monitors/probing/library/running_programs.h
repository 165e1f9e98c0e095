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

/// Probes in programs that run already and know nothing of EventSpace, as objects: what `eventspace probe`
/// does, for tools of one's own. docs/running-programs.md says what is possible, safe and refused. Linux on
/// x86-64; the target eventspace::probing.
///
///     probing::Application solver(probing::Group::of_name("lmp"));
///     solver.install({.functions = "solve*", .has_times = true});
///     std::this_thread::sleep_for(5s);
///     for (const probing::Probe& probe : solver.probes()) std::cout << probe.read().calls << '\n';
///
/// A process has probes of one Application at a time. All probes are removed at the latest with their
/// Application; those of a program that was killed by the next one that comes.
namespace eventspace::probing {

/// A process of this machine, as it was when it was looked at.
struct Process {
  std::int32_t pid{0};
  std::string name;                   ///< of its program
  std::optional<std::uint64_t> rank;  ///< in its parallel job, if it is of one
};

/// A function of a process.
struct ProcessFunction {
  std::string module;   ///< the path of its file
  std::string name;     ///< demangled
  std::string refusal;  ///< why it cannot have a probe; empty: it can
};

/// Which processes are meant: an expression, which is looked up anew each time that it is used. Immutable and
/// cheap to copy; thread-safe.
class Group {
 public:
  static Group of_pids(std::vector<std::int32_t> pids);
  /// All programs whose name matches the glob.
  static Group of_name(std::string pattern);
  /// The ranks of a parallel job, by the id of its batch system or launcher, or by the pid of its launcher.
  static Group of_job(std::string id);
  /// A group that `eventspace group` has given this name.
  static Group named(std::string name);
  /// All processes of this user for which a condition holds, such as "rank < 4 and memory > 1e9".
  static Group where(std::string condition);

  [[nodiscard]] Group united_with(const Group& other) const;
  [[nodiscard]] Group intersected_with(const Group& other) const;
  [[nodiscard]] Group without(const Group& other) const;

  /// The processes that are meant now, by pid; none if there are none. Throws ConfigurationError for a faulty
  /// pattern or condition, or an unknown name.
  [[nodiscard]] std::vector<Process> processes() const;

 private:
  struct Meaning;
  explicit Group(std::shared_ptr<const Meaning> meaning) : meaning_(std::move(meaning)) {}
  std::shared_ptr<const Meaning> meaning_;
};

/// The functions of a process whose name matches the glob, of modules whose path or file name matches
/// `modules` (empty: all). Throws EnvironmentError if the process has ended or must not be looked into.
std::vector<ProcessFunction> functions_of(std::int32_t pid, const std::string& pattern,
                                          const std::string& modules = {});

/// What probes are to do.
struct ProbeOrder {
  std::string functions;              ///< a glob, or "=NAME" for exactly this name
  std::string modules{};              ///< a glob of paths or file names; empty: all
  bool has_times{false};              ///< measures calls from entry to exit
  std::string when{};                 ///< only calls for which this condition holds count; empty: all
  std::vector<std::string> values{};  ///< numbers of each call that are added up, at most 4
  std::uint64_t every{1};             ///< only one of so many calls counts
  /// Not the functions get probes, but their calls by functions that match this, one for each place of a
  /// call; empty: the functions.
  std::string calls_from{};
  /// Of each function only one call counts in so much time: the first for which `when` holds. Nothing: all.
  std::optional<std::chrono::nanoseconds> phase{};
  /// Variables that probes change and that `when` and `values` can read, such as "inside += 1 at =solve" and
  /// "inside += -1 after =solve"; at most 8. The functions need not be among `functions`: they get probes of
  /// their own then, of which there is no handle. A process in which one of them cannot have its probe gets
  /// none of the order. Each order has variables of its own in each process, 0 at first. Probes that are
  /// switched off or removed do not change them.
  std::vector<std::string> lets{};
};

/// A variable of ProbeOrder::lets in a process.
struct Variable {
  std::string name;
  std::variant<std::int64_t, double> value;  ///< real if the first let of it says so
};

/// What a probe has counted and measured since it was installed. Times are those of calls that have ended.
struct Reading {
  std::uint64_t calls{0};  ///< all entries
  std::uint64_t measured{
      0};  ///< calls that were measured to their end; 0 without times, conditions and values
  std::uint64_t passed_by{0};  ///< calls that were left by an exception, longjmp, or a probe switched off
  std::uint64_t left_out{0};   ///< by `when`, `every` and `phase`
  std::chrono::nanoseconds total{};     ///< without calls inside calls of the same function
  std::chrono::nanoseconds own{};       ///< of it, without other functions with probes
  std::chrono::nanoseconds least{};     ///< of a call
  std::chrono::nanoseconds greatest{};  ///< of a call
  struct Value {
    std::uint64_t count{0};
    double sum{0};
    double least{0};
    double greatest{0};
  };
  std::vector<Value> values{};        ///< in the order of the order
  std::vector<Variable> variables{};  ///< all of its order in its process, in the order of the lets
  bool is_there{true};  ///< false: the process has ended or runs another program; these are the last numbers
};

/// What became of an order.
struct Outcome {
  struct Refusal {
    std::int32_t pid{0};
    std::string reason;
  };
  std::size_t processes{0};                 ///< that were asked
  std::size_t done{0};                      ///< of them, those that did it
  std::size_t probes{0};                    ///< that are now as ordered
  std::vector<Refusal> refusals;            ///< of processes, and of functions in them
  std::chrono::nanoseconds longest_stop{};  ///< how long a thread stood still at a time, at most
};

/// A probe at a function of a process. A handle: it may be copied, and outlive its Application, after which
/// its reading does not change any more and orders do nothing. Thread-safe. Functions that change it block
/// while threads of the process stand still, and throw EnvironmentError with the reason if that is not
/// possible.
class Probe {
 public:
  [[nodiscard]] std::int32_t pid() const noexcept { return pid_; }
  [[nodiscard]] const std::string& module() const noexcept { return module_; }
  [[nodiscard]] const std::string& function() const noexcept { return function_; }

  /// What it has counted until now. The process runs on.
  [[nodiscard]] Reading read() const;
  /// The function is as if it had no probe, and costs nothing. What was counted stays.
  Outcome switch_off() const;
  Outcome switch_on() const;
  /// Like switch_off(), for good.
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

/// The processes of a group, with the probes that were put into them. Thread-safe.
///
/// Each order has two forms. One blocks and returns the outcome. The other takes a callback, returns at once,
/// and calls it with the outcome when the order was carried out: orders with callbacks are carried out one
/// after the other, in their order, by a thread of the Application, which also calls the callbacks. These may
/// give further orders, but must not end the Application. Orders of both forms throw ConfigurationError at
/// once for a faulty pattern, condition or value; what processes refuse is in the outcome.
class Application {
 public:
  using Callback = std::function<void(const Outcome&)>;
  /// Gets all probes with their readings.
  using Watcher = std::function<void(const std::vector<std::pair<Probe, Reading>>&)>;

  explicit Application(Group group);
  /// Carries out what was ordered, and removes all probes.
  ~Application();
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  /// The processes that the group means now.
  [[nodiscard]] std::vector<Process> processes() const;

  /// Puts probes into the processes that the group means now, at most 256 in each by one order and by at most
  /// 16 orders; those that lets need count, too. Those that are there stay; a function that has one is
  /// refused.
  Outcome install(const ProbeOrder& order);
  void install(const ProbeOrder& order, Callback callback);
  /// Switches all its probes, also those that lets need, or removes them for good.
  Outcome switch_off();
  void switch_off(Callback callback);
  Outcome switch_on();
  void switch_on(Callback callback);
  Outcome remove();
  void remove(Callback callback);

  /// The probes that were not removed, by process, then by the address of the function.
  [[nodiscard]] std::vector<Probe> probes() const;

  /// Calls `watcher` with the readings of all probes, once each `interval`, from the Application's thread,
  /// between orders; the processes run on. Takes the place of the watcher before. At least a millisecond.
  void watch(std::chrono::nanoseconds interval, Watcher watcher);
  /// The last call of the watcher has ended when it returns, unless a callback calls this.
  void stop_watching();
  /// Waits until all orders with callbacks that were given before are carried out. Not from a callback.
  void wait();

 private:
  class Orders;
  Group group_;
  std::shared_ptr<Probe::Home> home_;
  std::unique_ptr<Orders> orders_;
};

}  // namespace eventspace::probing
