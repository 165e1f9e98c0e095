#include "python/module/waits.h"

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <thread>
#include <utility>

#include "tuplespace/processes/of_this_process.h"
#include "tuplespace/system/library_thread.h"

namespace eventspace::python {
namespace {

namespace py = pybind11;

/// A thread of the library that runs one piece of work at a time. Starting a thread for each call would take
/// as long as a short call.
class Helper {
 public:
  Helper() : thread_(start_library_thread([this] { run(); })) {}
  /// Waits for the end of the work.
  ~Helper() {
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;

  void begin(std::function<void(GivenUp&)> work) {
    given_up_ = std::make_unique<GivenUp>();
    {
      const std::lock_guard lock(mutex_);
      work_ = std::move(work);
    }
    changed_.notify_all();
  }
  /// Returns whether the work has ended.
  bool wait_for(std::chrono::nanoseconds time) {
    std::unique_lock lock(mutex_);
    return ended_.wait_for(lock, time, [this] { return work_ == nullptr; });
  }
  [[nodiscard]] std::exception_ptr take_fault() { return std::exchange(fault_, nullptr); }
  void give_up() { given_up_->set(); }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return is_ending_ || work_ != nullptr; });
      if (work_ == nullptr) return;
      lock.unlock();
      try {
        work_(*given_up_);
      } catch (...) {
        fault_ = std::current_exception();
      }
      lock.lock();
      work_ = nullptr;  // what it owns is destroyed here
      ended_.notify_all();
    }
  }

  std::mutex mutex_;  // guards work_ and is_ending_; the others belong to the thread while there is work
  std::condition_variable changed_;
  std::condition_variable ended_;
  std::function<void(GivenUp&)> work_;
  std::unique_ptr<GivenUp> given_up_;
  std::exception_ptr fault_;
  bool is_ending_{false};
  std::thread thread_;
};

/// The helpers of this process. Only used with the GIL held.
struct Helpers {
  std::unique_ptr<Helper> idle;
  std::list<std::unique_ptr<Helper>> given_up;  ///< may still work
};

// Never destroyed: a forked child has other threads than its parent, and begins with others.
Helpers& helpers() {
  static std::uint32_t generation = fork_generation();
  static auto* all = new Helpers();
  if (std::exchange(generation, fork_generation()) != fork_generation()) all = new Helpers();
  return *all;
}

std::unique_ptr<Helper> take_helper() {
  std::unique_ptr<Helper> free = std::move(helpers().idle);
  helpers().given_up.remove_if([&free](std::unique_ptr<Helper>& one) {
    if (!one->wait_for({})) return false;
    if (free == nullptr) free = std::move(one);
    return true;
  });
  return free != nullptr ? std::move(free) : std::make_unique<Helper>();
}

std::atomic<unsigned long> main_thread{0};  // as Python numbers threads
bool is_in_main_thread() noexcept { return PyThread_get_thread_ident() == main_thread.load(); }

// How many threads are about to take the GIL, and whether they may.
std::atomic<int> returning{0};
std::atomic<bool> has_ended{false};

}  // namespace

WithoutGil::~WithoutGil() {
  returning.fetch_add(1);
  if (has_ended.load() && !is_in_main_thread()) {
    returning.fetch_sub(1);
    while (true) ::pause();
  }
  PyEval_RestoreThread(thread_);
  returning.fetch_sub(1);
}

// A child that another thread than the main one has forked has another main thread.
bool handles_signals() {
  static std::uint32_t generation = fork_generation();
  static bool is_known = false;
  if (std::exchange(generation, fork_generation()) != fork_generation()) is_known = false;
  if (!std::exchange(is_known, true)) {
    const auto number = py::module_::import("threading").attr("main_thread")().attr("ident");
    main_thread.store(number.cast<unsigned long>());
  }
  return is_in_main_thread();
}

void handle_signals() {
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

void GivenUp::set() {
  const std::lock_guard lock(mutex_);
  is_set_ = true;
  changed_.notify_all();
}

bool GivenUp::wait_for(std::chrono::nanoseconds time) {
  std::unique_lock lock(mutex_);
  if (time.count() > 0) changed_.wait_for(lock, time, [this] { return is_set_; });
  return is_set_;
}

void run_beside(const std::function<void(GivenUp&)>& work) {
  std::unique_ptr<Helper> helper = take_helper();
  (void)helper->take_fault();
  helper->begin(work);
  try {
    for (bool is_over = false; !is_over;) {
      {
        const WithoutGil released;
        is_over = helper->wait_for(between_signals);
      }
      if (!is_over) handle_signals();
    }
  } catch (...) {
    helper->give_up();
    helpers().given_up.push_back(std::move(helper));
    throw;
  }
  const std::exception_ptr fault = helper->take_fault();
  helpers().idle = std::move(helper);
  if (fault) std::rethrow_exception(fault);
}

void end_waits() {
  const Helpers all = std::exchange(helpers(), {});
  {
    const WithoutGil released;
    for (const auto& one : all.given_up) (void)one->wait_for(std::chrono::hours(1));
  }
  has_ended = true;
  const WithoutGil released;
  while (returning.load() > 0) std::this_thread::yield();
}

}  // namespace eventspace::python
