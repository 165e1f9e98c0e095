#include "monitors/probing/stacks/thread_stack.h"

#include <fmt/format.h>

#include <filesystem>

#ifdef EVENTSPACE_HAS_DW
#include "monitors/probing/processes/process_modules.h"
#include "monitors/probing/stacks/unwinder.h"
#endif
#include <eventspace/error.h>
#include "tuplespace/system/plain_text.h"

namespace eventspace {

#ifdef EVENTSPACE_HAS_DW

bool can_unwind() noexcept { return true; }

ThreadStack stack_of_thread(std::int32_t pid, std::int32_t tid, const CopyLimits& limits) {
  const ThreadCopy copy = copy_thread(pid, tid, limits);
  Unwinder unwinder(pid, mapped_ranges(pid));
  return unwinder.unwind(copy);
}

#else

bool can_unwind() noexcept { return false; }

ThreadStack stack_of_thread(std::int32_t /*pid*/, std::int32_t /*tid*/, const CopyLimits& /*limits*/) {
  throw EnvironmentError("this build cannot show stacks: it was built without elfutils (Debian: libdw-dev)");
}

#endif

std::string describe_frame(const StackFrame& frame) {
  const std::string module = std::filesystem::path(frame.module).filename().string();
  const std::string where = module.empty() ? "memory without a file" : module;
  const std::string text = frame.function.empty() ? fmt::format("{:#x} in {}", frame.address, where)
                           : frame.source.empty() ? fmt::format("{} in {}", frame.function, where)
                                                  : fmt::format("{} ({})", frame.function, frame.source);
  return escaped(text);
}

}  // namespace eventspace
