// What handing a tuple to another process through a shared element costs, beside a bare futex hand-over of
// the same bytes through shared memory: with the same look-out before it sleeps, and without any. Names are
// FIGURE/ours and FIGURE/PEER; see scripts/bench.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
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
#include "tuplespace/element_file.h"
#include "tuplespace/futex.h"
#include "tuplespace/look_out.h"

namespace eventspace::bench {
namespace {

/// A child that does `serve` again and again, until it is killed.
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

// The contestants: bytes go to another process and come back, two hand-overs, each to one that waits for it.

class SharedElements {
 public:
  explicit SharedElements(std::size_t size)
      : file_({{"bench", "n", fmt::format("home{}", size), 0}, {channel("there"), channel("back")}}),
        tuple_(Tuple::of({Bytes(std::vector<std::byte>(size))})),
        echo_([this] { echo(); }) {}

  void round_trip() {
    send(file_.view(), there);
    receive(file_.view(), back);
  }

 private:
  enum Channel : std::size_t { there, back };
  static SharedElementSpec channel(const char* name) {
    return {{.name = name, .signature = {FieldType::bytes}, .threshold = 64}};
  }
  [[noreturn]] void echo() {
    ElementFileView view(file_.view().path());
    while (true) {
      receive(view, there);
      send(view, back);
    }
  }
  void send(ElementFileView& view, Channel element) const {
    Operation write;
    write.tuple = tuple_;
    view.elements()[element].perform(write);
  }
  static void receive(ElementFileView& view, Channel element) {
    Operation take;
    take.verb = Verb::take;
    view.elements()[element].perform(take);
    benchmark::DoNotOptimize(take.tuple.get<Bytes>(0).size());
  }

  ElementFile file_;
  Tuple tuple_;
  Server echo_;
};

/// A word and the bytes, as little as a hand-over between processes can be.
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
  std::uint32_t seen_{0};  // hand-overs through the slot that this process receives from
  std::array<std::byte, 1024> own_{};
  Slots* slots_{make_slots()};
  Server echo_;
};

/// One figure, for so many bytes.
class HandOver {
 public:
  HandOver(const std::string& bytes, std::size_t size) {
    const std::string figure = "hand-over and back, two processes, " + bytes;
    add<SharedElements>(figure + "/ours", size);
    add<BareFutex<true>>(figure + "/bare futex, same look-out", size);
    add<BareFutex<false>>(figure + "/bare futex", size);
    race_.register_benchmarks();
  }

 private:
  template <class Contestant>
  void add(const std::string& name, std::size_t size) {
    race_.add(name, [size, contestant = std::shared_ptr<Contestant>()](std::size_t times) mutable {
      if (!contestant) contestant = std::make_shared<Contestant>(size);
      for (std::size_t i = 0; i < times; ++i) contestant->round_trip();
    });
  }

  Interleaved race_{200, 100};
};

HandOver small("16 B", 16);
HandOver large("1 KiB", 1024);

}  // namespace
}  // namespace eventspace::bench
