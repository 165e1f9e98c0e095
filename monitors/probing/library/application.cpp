#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include <eventspace/error.h>
#include <eventspace/probing.h>
#include "monitors/probing/code/exit_check.h"
#include "monitors/probing/library/probe_home.h"
#include "monitors/probing/symbols/function_names.h"
#include "monitors/probing/work/module_list.h"
#include "monitors/text/demangled.h"
#include "paths/parameters/glob.h"
#include "tuplespace/system/library_thread.h"

namespace eventspace::probing {
namespace {

/// Checks the whole order before anything is done.
CompiledTask compiled(const ProbeOrder& order) {
  if (order.functions.empty())
    throw ConfigurationError("`functions` is empty; expected a pattern such as 'solve*', or '=NAME'");
  if (order.every < 1) throw ConfigurationError("`every` is less than 1; expected 1 or more");
  require_function_pattern(order.functions);
  require_glob("the pattern of modules", order.modules);
  require_function_pattern(order.calls_from);
  ProbeTask task;
  task.has_times = order.has_times;
  task.when = order.when;
  task.every = order.every;
  task.values = order.values;
  task.phase = order.phase;
  task.lets = order.lets;
  if (!can_decode())
    throw EnvironmentError(
        "this build cannot put probes into programs: it was built without Zydis (Debian: libzydis-dev)");
  return compile_task(task);
}

void add_functions(std::vector<ProcessFunction>& functions, const ProcessModule& module,
                   const DecodedModule& decoded, const std::string& pattern) {
  for (const Function& function : decoded.symbols.functions) {
    if (!name_matches(pattern, function)) continue;
    const EntryRefusal refusal = decoded.check().refusal_of(function);
    functions.push_back({module.path, demangled(function.name),
                         refusal == EntryRefusal::none ? std::string() : std::string(to_string(refusal))});
  }
}

}  // namespace

std::vector<ProcessFunction> functions_of(std::int32_t pid, const std::string& pattern,
                                          const std::string& modules) {
  require_function_pattern(pattern);
  require_glob("the pattern of modules", modules);
  std::vector<ProcessFunction> functions;
  ModuleCache cache;
  for (const ProcessModule& module : modules_of(mapped_ranges(pid)))
    if (module_matches(modules, module.path))
      add_functions(functions, module, *cache.decoded(pid, module), pattern);
  return functions;
}

/// The queue of orders with callbacks, and the thread that carries them out.
class Application::Orders {
 public:
  Orders() : thread_(start_library_thread([this] { run(); })) {}
  ~Orders() {
    {
      const std::scoped_lock lock(mutex_);
      is_over_ = true;
      watch_ = nullptr;
    }
    changed_.notify_all();
    thread_.join();
  }
  Orders(const Orders&) = delete;
  Orders& operator=(const Orders&) = delete;

  void add(std::function<void()> order) {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back(std::move(order));
    changed_.notify_all();
  }
  void watch(std::chrono::nanoseconds interval, std::function<void()> look) {
    const std::scoped_lock lock(mutex_);
    interval_ = std::max<std::chrono::nanoseconds>(interval, std::chrono::milliseconds(1));
    next_look_ = std::chrono::steady_clock::now() + interval_;
    watch_ = std::move(look);
    changed_.notify_all();
  }
  void stop_watching() {
    std::unique_lock lock(mutex_);
    watch_ = nullptr;
    if (std::this_thread::get_id() != thread_.get_id()) changed_.wait(lock, [this] { return !is_looking_; });
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return waiting_.empty() && !is_working_; });
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (!is_over_ || !waiting_.empty()) {
      if (!waiting_.empty()) {
        const std::function<void()> order = std::move(waiting_.front());
        waiting_.pop_front();
        work(lock, order, is_working_);
      } else if (watch_ && std::chrono::steady_clock::now() >= next_look_) {
        next_look_ += interval_;
        const std::function<void()> look = watch_;
        work(lock, look, is_looking_);
      } else if (watch_) {
        changed_.wait_until(lock, next_look_);
      } else {
        changed_.wait(lock);
      }
    }
  }
  void work(std::unique_lock<std::mutex>& lock, const std::function<void()>& what, bool& is_busy) {
    is_busy = true;
    lock.unlock();
    what();
    lock.lock();
    is_busy = false;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  std::function<void()> watch_;
  std::chrono::nanoseconds interval_{};
  std::chrono::steady_clock::time_point next_look_{};
  bool is_working_{false};
  bool is_looking_{false};
  bool is_over_{false};
  std::thread thread_;  // last, as it uses the others
};

Reading Probe::read() const { return home_->read(pid_, place_); }
Outcome Probe::switch_off() const { return home_->change(ProbeState::off, pid_, place_); }
Outcome Probe::switch_on() const { return home_->change(ProbeState::on, pid_, place_); }
Outcome Probe::remove() const { return home_->change(ProbeState::removed, pid_, place_); }

Application::Application(Group group)
    : group_(std::move(group)), home_(std::make_shared<Probe::Home>()), orders_(std::make_unique<Orders>()) {}

Application::~Application() {
  orders_.reset();
  home_->close();
}

std::vector<Process> Application::processes() const { return group_.processes(); }

Outcome Application::install(const ProbeOrder& order) {
  return home_->install(group_, order, compiled(order));
}

void Application::install(const ProbeOrder& order, Callback callback) {
  orders_->add([this, order, task = compiled(order), callback = std::move(callback)] {
    callback(home_->install(group_, order, task));
  });
}

Outcome Application::switch_off() { return home_->change(ProbeState::off); }
Outcome Application::switch_on() { return home_->change(ProbeState::on); }
Outcome Application::remove() { return home_->change(ProbeState::removed); }

void Application::switch_off(Callback callback) {
  orders_->add([this, callback = std::move(callback)] { callback(switch_off()); });
}
void Application::switch_on(Callback callback) {
  orders_->add([this, callback = std::move(callback)] { callback(switch_on()); });
}
void Application::remove(Callback callback) {
  orders_->add([this, callback = std::move(callback)] { callback(remove()); });
}

std::vector<Probe> Application::probes() const {
  std::vector<Probe> probes;
  for (Probe::Home::Place& place : home_->places())
    probes.push_back(
        Probe(home_, place.pid, std::move(place.module), std::move(place.function), place.place));
  return probes;
}

void Application::watch(std::chrono::nanoseconds interval, Watcher watcher) {
  orders_->watch(interval, [this, watcher = std::move(watcher)] {
    std::vector<std::pair<Probe, Reading>> readings;
    for (const Probe& probe : probes()) readings.emplace_back(probe, probe.read());
    watcher(readings);
  });
}

void Application::stop_watching() { orders_->stop_watching(); }
void Application::wait() { orders_->wait(); }

}  // namespace eventspace::probing
