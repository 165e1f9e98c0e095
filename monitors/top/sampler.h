#pragma once

// Private to monitors/.

#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "monitors/top/looker.h"
#include "tuplespace/system/mapping.h"

namespace eventspace::top {

/// Takes samples in a thread of its own, at the looker's pace, so that the screen answers keys while a server
/// does not answer. Keeps the newest sample only. It waits in real time, on whatever timeline the looker
/// judges: the pause is that of a screen, and keys cut it short. The public functions are for one other
/// thread. Signals must be blocked before the construction: the thread inherits the mask.
class Sampler {
 public:
  explicit Sampler(Looker& looker);
  /// Waits for the pull under way, at most until its time-out.
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  /// Readable while there is a sample: for poll(2).
  [[nodiscard]] int descriptor() const noexcept { return news_.get(); }
  /// The newest sample; nothing when none came since the last call. Throws what taking one threw.
  std::optional<Sample> take();

  void set_paused(bool paused);         ///< false: looks at once
  void set_with_servers(bool servers);  ///< true: looks at once
  void set_with_collectives(bool collectives);

 private:
  struct Wish {
    bool is_paused{false};
    bool with_servers{false};
    bool with_collectives{false};
    bool is_over{false};
    bool is_urgent{false};
  };
  void run();
  void wish(bool Wish::*what, bool value, bool is_urgent);
  bool wait_for_turn(std::chrono::steady_clock::time_point due, Wish& wanted);
  [[nodiscard]] std::chrono::steady_clock::time_point next_turn() const;
  void tell() const;

  Looker* looker_;
  FileHandle news_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Wish wish_;  // guarded by mutex_, as are the next two
  std::optional<Sample> newest_;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace eventspace::top
