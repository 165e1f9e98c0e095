#include "python/module/waits.h"

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <list>
#include <thread>

#include "python/module/forks.h"
#include "tuplespace/system/library_thread.h"

namespace eventspace::python {
namespace {

namespace py = pybind11;

/// Work that runs in a thread of its own.
struct Beside {
  std::mutex mutex;
  std::condition_variable ended;
  bool is_over{false};
  std::exception_ptr fault;
  GivenUp given_up;
  std::thread thread;

  void run(const std::function<void(GivenUp&)>& work) {
    std::exception_ptr thrown;
    try {
      work(given_up);
    } catch (...) {
      thrown = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    fault = thrown;
    is_over = true;
    ended.notify_all();
  }
  bool wait_for(std::chrono::nanoseconds time) {
    std::unique_lock lock(mutex);
    return ended.wait_for(lock, time, [this] { return is_over; });
  }
};

// Only used with the GIL held. Never destroyed: a forked child has other threads than its parent, and begins
// another list.
std::list<std::shared_ptr<Beside>>& left() {
  static std::uint32_t generation = fork_generation();
  static auto* all = new std::list<std::shared_ptr<Beside>>();
  if (std::exchange(generation, fork_generation()) != fork_generation())
    all = new std::list<std::shared_ptr<Beside>>();
  return *all;
}

void join_ended() {
  left().remove_if([](const std::shared_ptr<Beside>& one) {
    if (!one->wait_for({})) return false;
    one->thread.join();
    return true;
  });
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
  join_ended();
  const auto beside = std::make_shared<Beside>();
  beside->thread = start_library_thread([beside, work] { beside->run(work); });
  try {
    for (bool is_over = false; !is_over;) {
      {
        const WithoutGil released;
        is_over = beside->wait_for(between_signals);
      }
      if (!is_over) handle_signals();
    }
  } catch (...) {
    beside->given_up.set();
    left().push_back(beside);
    throw;
  }
  beside->thread.join();
  if (beside->fault) std::rethrow_exception(beside->fault);
}

void end_waits() {
  std::list<std::shared_ptr<Beside>> all;
  all.swap(left());
  const WithoutGil released;
  for (const auto& one : all) one->thread.join();
  has_ended = true;
  while (returning.load() > 0) std::this_thread::yield();
}

}  // namespace eventspace::python
