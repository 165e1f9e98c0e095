// What handing a tuple to another process through shared elements costs, beside a bare futex hand-over of the
// same bytes through shared memory. Names are FIGURE/ours and FIGURE/PEER; see scripts/bench.
#include <benchmark/benchmark.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <csignal>
#include <cstring>
#include <new>
#include <vector>

#include "tuplespace/element_file.h"
#include "tuplespace/futex.h"
#include "tuplespace/look_out.h"

namespace eventspace {
namespace {

constexpr std::size_t most_bytes = 1024;

/// A channel as its two ends see it: each end in a process of its own.
class SharedElementChannel {
 public:
  explicit SharedElementChannel(std::size_t size) : payload_(size, std::byte{7}) {
    const Bytes bytes = payload_;
    tuple_ = Tuple::of({bytes});
  }
  void open(SharedElement& element) { element_ = &element; }
  void send() {
    Operation write;
    write.tuple = tuple_;
    element_->perform(write);
  }
  void receive() {
    Operation take;
    take.verb = Verb::take;
    element_->perform(take);
    benchmark::DoNotOptimize(take.tuple.get<Bytes>(0)[0]);
  }

 private:
  std::vector<std::byte> payload_;
  Tuple tuple_;
  SharedElement* element_{nullptr};
};

/// One word and the bytes, as little as a hand-over between processes can be.
struct BareSlot {
  alignas(64) std::atomic<std::uint32_t> count;
  std::atomic<std::uint32_t> sleepers;
  alignas(64) std::array<std::byte, most_bytes> bytes;
};

template <bool looks_out>
class BareChannel {
 public:
  BareChannel(BareSlot& slot, std::size_t size) : slot_(slot), size_(size) {}
  void send() {
    std::memcpy(slot_.bytes.data(), own_.data(), size_);
    slot_.count.fetch_add(1);
    if (slot_.sleepers.load() != 0) futex_wake(&slot_.count, INT_MAX, FutexReach::shared);
  }
  void receive() {
    const auto came = [this] { return slot_.count.load(std::memory_order_acquire) != seen_; };
    if (!looks_out || !look_out(came)) {
      slot_.sleepers.store(1);
      while (!came()) futex_wait(slot_.count, seen_, Deadline::never(), FutexReach::shared);
      slot_.sleepers.store(0);
    }
    ++seen_;
    std::memcpy(own_.data(), slot_.bytes.data(), size_);
    benchmark::DoNotOptimize(own_[0]);
  }

 private:
  BareSlot& slot_;
  std::size_t size_;
  std::uint32_t seen_{0};
  std::array<std::byte, most_bytes> own_{};
};

/// A child that sends back whatever comes, until it is killed.
template <class Serve>
class Echo {
 public:
  explicit Echo(Serve serve) : pid_(::fork()) {
    if (pid_ != 0) return;
    while (true) serve();
  }
  ~Echo() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Echo(const Echo&) = delete;
  Echo& operator=(const Echo&) = delete;

 private:
  pid_t pid_;
};

// A tuple goes to another process and comes back: two hand-overs, each to one that waits for it.
template <std::size_t size>
void HandOverAndBackShared(benchmark::State& state) {
  ElementFile::Config config{{"bench", "n", "home", 0}, {}};
  for (const char* name : {"there", "back"})
    config.elements.push_back({{.name = name, .signature = {FieldType::bytes}, .threshold = 64}});
  ElementFile file(config);
  SharedElementChannel there(size);
  SharedElementChannel back(size);
  there.open(*file.view().find("there"));
  back.open(*file.view().find("back"));
  const Echo echo([&, view = std::unique_ptr<ElementFileView>()]() mutable {
    if (!view) {
      view = std::make_unique<ElementFileView>(file.view().path());
      there.open(*view->find("there"));
      back.open(*view->find("back"));
    }
    there.receive();
    back.send();
  });
  while (state.KeepRunning()) {
    there.send();
    back.receive();
  }
}

template <std::size_t size, bool looks_out>
void HandOverAndBackBare(benchmark::State& state) {
  void* const memory =
      ::mmap(nullptr, 2 * sizeof(BareSlot), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* const slots = ::new (memory) BareSlot[2]{};
  {
    BareChannel<looks_out> there(slots[0], size);
    BareChannel<looks_out> back(slots[1], size);
    const Echo echo([&] {
      there.receive();
      back.send();
    });
    while (state.KeepRunning()) {
      there.send();
      back.receive();
    }
  }
  ::munmap(memory, 2 * sizeof(BareSlot));
}

BENCHMARK(HandOverAndBackShared<16>)->Name("hand-over and back, two processes, 16 B/ours")->UseRealTime();
BENCHMARK(HandOverAndBackBare<16, true>)
    ->Name("hand-over and back, two processes, 16 B/bare futex with the same look-out")
    ->UseRealTime();
BENCHMARK(HandOverAndBackBare<16, false>)
    ->Name("hand-over and back, two processes, 16 B/bare futex")
    ->UseRealTime();
BENCHMARK(HandOverAndBackShared<1024>)->Name("hand-over and back, two processes, 1 KiB/ours")->UseRealTime();
BENCHMARK(HandOverAndBackBare<1024, true>)
    ->Name("hand-over and back, two processes, 1 KiB/bare futex with the same look-out")
    ->UseRealTime();
BENCHMARK(HandOverAndBackBare<1024, false>)
    ->Name("hand-over and back, two processes, 1 KiB/bare futex")
    ->UseRealTime();

}  // namespace
}  // namespace eventspace
