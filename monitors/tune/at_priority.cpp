#include "monitors/tune/at_priority.h"

#include <exception>
#include <thread>

#include "tuplespace/system/library_thread.h"

namespace eventspace::tune {

std::string at_priority(Priority priority, const std::function<void()>& work) {
  std::string complaint;
  std::exception_ptr failure;
  std::thread thread = start_library_thread([&] {
    complaint = take_priority(priority);
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
  });
  thread.join();
  if (failure) std::rethrow_exception(failure);
  return complaint;
}

}  // namespace eventspace::tune
