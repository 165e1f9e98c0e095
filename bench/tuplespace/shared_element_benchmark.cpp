// The cost of passing a tuple to another process through a shared element, compared with a bare futex
// hand-over of the same bytes through shared memory, with the same polling before it sleeps and without any;
// and the cost of the element alone, when no other process uses it. Names are FIGURE/ours and FIGURE/PEER;
// see scripts/bench.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <csignal>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "bench/interleaved.h"
#include "tuplespace/shared/element_file.h"
#include "tuplespace/system/futex.h"
#include "tuplespace/system/look_out.h"

namespace eventspace::bench {
namespace {

constexpr std::uint32_t shared_room = 64;

SharedElementSpec channel(const char* name) {
  return {{.name = name, .signature = {FieldType::bytes}, .threshold = shared_room}};
}

void send(SharedElement& element, const Tuple& tuple) {
  Operation write;
  write.tuple = tuple;
  element.perform(write);
}
void receive(SharedElement& element) {
  Operation take;
  take.verb = Verb::take;
  element.perform(take);
  benchmark::DoNotOptimize(take.tuple.get<Bytes>(0).size());
}

/// A child that calls `serve` repeatedly until it is killed.
class Server {
 public:
  template <class Serve>
  explicit Server(Serve serve) : pid_(::fork()) {
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (true) serve();
  }
  ~Server() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

 private:
  pid_t pid_;
};

// The contestants send bytes to another process and back: two hand-overs, each to a process that waits for
// it.

class SharedElements {
 public:
  explicit SharedElements(std::size_t size)
      : file_({{"bench", "n", fmt::format("home{}", size), 0}, {channel("there"), channel("back")}}),
        tuple_(Tuple::of({Bytes(std::vector<std::byte>(size))})),
        echo_([this] { echo(); }) {}

  void round_trip() {
    send(file_.view().elements()[there], tuple_);
    receive(file_.view().elements()[back]);
  }

 private:
  enum Channel : std::size_t { there, back };
  [[noreturn]] void echo() {
    ElementFileView view(file_.view().path());
    while (true) {
      receive(view.elements()[there]);
      send(view.elements()[back], tuple_);
    }
  }

  ElementFile file_;
  Tuple tuple_;
  Server echo_;
};

/// The minimal hand-over between processes: a word and the bytes.
template <bool looks_out>
class BareFutex {
 public:
  explicit BareFutex(std::size_t size)
      : size_(size), echo_([this] {
          receive(slots_->there);
          send(slots_->back);
        }) {}
  ~BareFutex() { ::munmap(slots_, sizeof(Slots)); }
  BareFutex(const BareFutex&) = delete;
  BareFutex& operator=(const BareFutex&) = delete;

  void round_trip() {
    send(slots_->there);
    receive(slots_->back);
  }

 private:
  struct Slot {
    alignas(64) std::atomic<std::uint32_t> count;
    std::atomic<std::uint32_t> sleepers;
    alignas(64) std::array<std::byte, 1024> bytes;
  };
  struct Slots {
    Slot there;
    Slot back;
  };
  static Slots* make_slots() {
    return ::new (::mmap(nullptr, sizeof(Slots), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))
        Slots{};
  }

  void send(Slot& slot) {
    std::memcpy(slot.bytes.data(), own_.data(), size_);
    slot.count.fetch_add(1);
    if (slot.sleepers.load() != 0) futex_wake(&slot.count, INT_MAX, FutexReach::shared);
  }
  void receive(Slot& slot) {
    const auto came = [this, &slot] { return slot.count.load(std::memory_order_acquire) != seen_; };
    if (!looks_out || !look_out(came)) {
      slot.sleepers.store(1);
      while (!came()) futex_wait(slot.count, seen_, Deadline::never(), FutexReach::shared);
      slot.sleepers.store(0);
    }
    ++seen_;
    std::memcpy(own_.data(), slot.bytes.data(), size_);
    benchmark::DoNotOptimize(own_[0]);
  }

  std::size_t size_;
  std::uint32_t seen_{0};  // hand-overs through the slot from which this process receives
  std::array<std::byte, 1024> own_{};
  Slots* slots_{make_slots()};
  Server echo_;
};

// The same without waiting: one thread writes a tuple and takes it.

class LonelyElement {
 public:
  explicit LonelyElement(std::size_t size)
      : file_({{"bench", "n", fmt::format("lonely{}", size), 0}, {channel("own")}}),
        tuple_(Tuple::of({Bytes(std::vector<std::byte>(size))})) {}

  void round_trip() {
    send(file_.view().elements()[0], tuple_);
    receive(file_.view().elements()[0]);
  }

 private:
  ElementFile file_;
  Tuple tuple_;
};

/// Bytes in a ring in shared memory, guarded by the C library's robust mutex, which survives its holder's
/// death.
class RobustRing {
 public:
  explicit RobustRing(std::size_t size) : size_(size) {
    pthread_mutexattr_t attributes;
    ::pthread_mutexattr_init(&attributes);
    ::pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    ::pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    ::pthread_mutex_init(&ring_->mutex, &attributes);
    ::pthread_mutexattr_destroy(&attributes);
  }
  ~RobustRing() {
    ::pthread_mutex_destroy(&ring_->mutex);
    ::munmap(ring_, sizeof(Ring));
  }
  RobustRing(const RobustRing&) = delete;
  RobustRing& operator=(const RobustRing&) = delete;

  void round_trip() {
    locked([this] { std::memcpy(ring_->rows[ring_->written++ % shared_room].data(), own_.data(), size_); });
    locked([this] { std::memcpy(own_.data(), ring_->rows[ring_->taken++ % shared_room].data(), size_); });
    benchmark::DoNotOptimize(own_[0]);
  }

 private:
  struct Ring {
    pthread_mutex_t mutex;
    std::size_t written{0};
    std::size_t taken{0};
    std::array<std::array<std::byte, 1024>, shared_room> rows{};
  };
  static Ring* make_ring() {
    return ::new (::mmap(nullptr, sizeof(Ring), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))
        Ring{};
  }
  template <class Work>
  void locked(Work work) {
    ::pthread_mutex_lock(&ring_->mutex);
    work();
    ::pthread_mutex_unlock(&ring_->mutex);
  }

  std::size_t size_;
  std::array<std::byte, 1024> own_{};
  Ring* ring_{make_ring()};
};

/// Round trips of `size` bytes, by all contestants in turn.
class Race {
 public:
  explicit Race(std::size_t size) : size_(size) {}

  template <class Contestant>
  Race& add(const std::string& name) {
    race_.add(name, [this, contestant = std::shared_ptr<Contestant>()](std::size_t times) mutable {
      if (!contestant) contestant = std::make_shared<Contestant>(size_);
      for (std::size_t i = 0; i < times; ++i) contestant->round_trip();
    });
    return *this;
  }
  void register_benchmarks() { race_.register_benchmarks(); }

 private:
  std::size_t size_;
  Interleaved race_{200, 100};
};

struct Races {
  Race small{16};
  Race large{1024};
  Race alone{16};

  Races() {
    hand_over("hand-over and back, two processes, 16 B", small);
    hand_over("hand-over and back, two processes, 1 KiB", large);
    alone.add<LonelyElement>("write and take, shared, one process/ours")
        .add<RobustRing>("write and take, shared, one process/robust mutex and a ring")
        .register_benchmarks();
  }

  static void hand_over(const std::string& figure, Race& race) {
    race.add<SharedElements>(figure + "/ours")
        .add<BareFutex<true>>(figure + "/bare futex, same look-out")
        .add<BareFutex<false>>(figure + "/bare futex")
        .register_benchmarks();
  }
};

Races races;

}  // namespace
}  // namespace eventspace::bench
