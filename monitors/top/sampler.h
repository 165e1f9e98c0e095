#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "monitors/top/looker.h"
#include "tuplespace/system/mapping.h"

namespace eventspace::top {

/// Takes samples in a thread of its own, at the looker's pace, so that the screen answers keys while a server
/// is silent. Keeps only the newest sample. Waits in real time, whatever timeline the looker uses, because
/// keys cut the pause short. The public functions are for one other thread.
class Sampler {
 public:
  using Pause = std::function<std::chrono::nanoseconds()>;
  explicit Sampler(Looker& looker);
  /// `pause`: how long to wait from now until the next sample, in real time; called by the sampler's thread.
  Sampler(Looker& looker, Pause pause);
  /// Waits for the pull under way, which ends by its time-out.
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  /// A descriptor for poll(2) that is readable while a sample is available.
  [[nodiscard]] int descriptor() const noexcept { return news_.get(); }
  /// Returns the newest sample; nullopt if nothing new has come since the last call. Rethrows an exception
  /// from taking a sample.
  std::optional<Sample> take();

  void set_paused(bool paused);         ///< false: takes a sample at once
  void set_with_servers(bool servers);  ///< true: takes a sample at once
  void set_with_collectives(bool collectives);
  void set_with_streams(bool streams);

 private:
  struct Wish {
    bool is_paused{false};
    bool with_servers{false};
    bool with_collectives{false};
    bool with_streams{false};
    bool is_over{false};
    bool is_urgent{false};
  };
  void run();
  void wish(bool Wish::*what, bool value, bool is_urgent);
  bool wait_for_turn(std::chrono::steady_clock::time_point due, Wish& wanted);
  [[nodiscard]] std::chrono::steady_clock::time_point next_turn() const;
  void tell() const;

  Looker* looker_;
  Pause pause_;
  FileHandle news_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Wish wish_;  // guarded by mutex_, like the next two
  std::optional<Sample> newest_;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace eventspace::top
