#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <pybind11/pybind11.h>

#include <eventspace/operation.h>

namespace eventspace::python {

/// How often a wait in the main thread lets Python handle its signals: a KeyboardInterrupt ends it after at
/// most this time.
inline constexpr std::chrono::milliseconds between_signals{20};

/// Whether this is the thread in which Python handles signals. Needs the GIL.
[[nodiscard]] bool handles_signals();
/// Lets Python handle signals; throws what its handlers raise, such as KeyboardInterrupt. Needs the GIL.
void handle_signals();

/// Releases the GIL during its lifetime. When the interpreter ends, a thread other than the main one that
/// would take it again stops here without end, as it must not run Python any more: Python itself would end
/// the thread, which C++ does not survive.
class WithoutGil {
 public:
  WithoutGil() : thread_(PyEval_SaveThread()) {}
  ~WithoutGil();
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* thread_;
};

/// The owner of an object whose destruction may wait, for other threads or for servers: the last owner
/// destroys it without the GIL.
template <class Object>
std::shared_ptr<Object> share_without_gil(std::unique_ptr<Object> object) {
  return std::shared_ptr<Object>(object.release(), [](Object* last) {
    std::optional<WithoutGil> released;
    if (Py_IsInitialized() != 0 && PyGILState_Check() != 0) released.emplace();
    delete last;
  });
}

/// Set when the caller of some work has given it up. Thread-safe.
class GivenUp {
 public:
  void set();
  /// Waits up to `time`; returns whether it is set.
  bool wait_for(std::chrono::nanoseconds time);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_set_{false};
};

/// Runs `work` in a thread of the library, without the GIL, while Python handles signals in this thread. If a
/// handler raises, sets the argument of `work`, which then should end soon, and throws at once; `work` must
/// not use Python. Throws the exceptions of `work`.
void run_beside(const std::function<void(GivenUp&)>& work);
/// To be called before the interpreter ends, with the GIL: waits for the threads whose work was given up, and
/// stops those that would return to Python.
void end_waits();

/// Calls `work`, which may wait, without the GIL; in the main thread, Python handles signals during the wait.
/// `work` owns its data, since it may continue after the return.
template <class Work>
auto interruptible(Work work) -> decltype(work(std::declval<GivenUp&>())) {
  using Result = decltype(work(std::declval<GivenUp&>()));
  if (!handles_signals()) {
    GivenUp never;
    const WithoutGil released;
    return work(never);
  }
  auto result = std::make_shared<std::optional<Result>>();
  run_beside(
      [result, work = std::move(work)](GivenUp& given_up) mutable { result->emplace(work(given_up)); });
  return std::move(**result);
}

}  // namespace eventspace::python
