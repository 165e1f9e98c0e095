#include "monitors/watching/view_source.h"

#include "paths/parameters/glob.h"

namespace eventspace {

View ScopeViews::pull(const EventScope::Options& options) {
  View view = scope_.pull(options);
  if (threads_.empty()) return view;
  for (ProcessReport& process : view.processes) {
    std::erase_if(process.threads, [this](const ThreadReport& thread) {
      return !glob_match(threads_, names_->thread_name(thread.thread));
    });
  }
  return view;
}

}  // namespace eventspace
