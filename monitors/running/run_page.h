#pragma once

#include <string>
#include <vector>

#include "monitors/running/page_channel.h"
#include "monitors/servers/child_process.h"
#include "tuplespace/system/mapping.h"

namespace eventspace {

/// The page of an application that `run` starts: a separate process, `eventspace web`, which prints its
/// addresses on standard error. It shows the application from the beginning, and its last state after the
/// end. Processes leave their segments when they end (SegmentKeeping), so that the last look shows their last
/// events; the segments are removed some seconds later, or by the recorder if there is one. Not thread-safe.
class RunPage {
 public:
  /// `words`: the pathmap or the session, as arguments of `web`. Sets the variable by which processes leave
  /// their segments, for this process and its children. Returns when the page can be opened. Throws
  /// EnvironmentError if it cannot; the page's process has printed the reason.
  RunPage(const std::vector<std::string>& words, std::string session, bool is_recorded);
  /// Ends the page.
  ~RunPage();
  RunPage(const RunPage&) = delete;
  RunPage& operator=(const RunPage&) = delete;

  /// Call when all processes have ended: the page takes its last look.
  void note_end();
  /// Waits for a signal that ends this process (SIGINT, SIGTERM, SIGHUP), or for the end of the page. These
  /// signals and SIGCHLD must be blocked.
  void stay();

 private:
  std::string session_;
  FileHandle channel_;
  ChildProcess page_;
};

}  // namespace eventspace
