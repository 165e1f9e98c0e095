#include "monitors/questions/asked_views.h"

#include <vector>

#include "paths/parameters/glob.h"

namespace eventspace {

View AskedViews::pull(const EventScope::Options& options) {
  View view = views_.pull(options);
  if (threads_.empty()) return view;
  for (ProcessReport& process : view.processes) {
    std::erase_if(process.threads, [this](const ThreadReport& thread) {
      return !glob_match(threads_, names_->thread_name(thread.thread));
    });
  }
  return view;
}

}  // namespace eventspace
