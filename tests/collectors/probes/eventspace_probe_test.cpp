#include <eventspace/probe.h>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <map>
#include <new>
#include <thread>
#include <vector>

#include "collectors/probe_record.h"
#include "collectors/probes/probe_host.h"
#include "collectors/probes/probe_recorder.h"
#include "collectors/record_header.h"
#include "tests/tuplespace/trace/trace_ring.h"

extern "C" void probe_in_c(int count, double share, const char* text);

namespace eventspace {
namespace {

/// Gives each thread a ring, and each name the next number.
class PlainHost final : public ProbeHost {
 public:
  std::optional<Thread> add_thread() override {
    if (is_full) return std::nullopt;
    if (throws) throw std::bad_alloc();
    auto& ring = rings.emplace_back(std::make_shared<test::RingMemory>(100));
    return Thread{ring->writer(),
                  {static_cast<std::uint32_t>(rings.size()), 9, no_peer, 0},
                  {switched, &switched->thread},
                  ring};
  }
  std::uint32_t number_of(std::string_view name, std::string_view values) override {
    ++asked;
    if (throws_at_names) throw std::bad_alloc();
    texts.emplace(name, values);
    return numbers.emplace(name, static_cast<std::uint32_t>(numbers.size() + 1)).first->second;
  }

  /// The records of a thread, such as "solve(4) tick()": names, and the bits of the values.
  std::string told(std::size_t thread = 0) {
    std::vector<TraceTuple> records;
    rings.at(thread)->reader().read_after(0, 100, records);
    std::string told;
    for (const TraceTuple& record : records) {
      for (const auto& [name, number] : numbers)
        if (number == record.words[3] >> 32) told += name;
      told += "(";
      if ((record.words[3] >> 28 & 3) != 0) told += std::to_string(record.words[5]);
      if ((record.words[3] >> 30 & 3) != 0) told += "," + std::to_string(record.words[6]);
      told += ") ";
    }
    return told;
  }

  /// Word 7 of these records: virtual times, or "passage N".
  std::vector<std::string> steps(std::string_view name) {
    std::vector<TraceTuple> records;
    rings.at(0)->reader().read_after(0, 100, records);
    std::vector<std::string> all;
    for (const TraceTuple& record : records) {
      if (numbers.find(name)->second != record.words[3] >> 32) continue;
      const auto passage = passage_in(record.words[7]);
      all.push_back(passage ? "passage " + std::to_string(*passage) : std::to_string(record.words[7]));
    }
    return all;
  }

  bool is_full{false};
  bool throws{false};
  bool throws_at_names{false};
  int asked{0};
  std::vector<std::shared_ptr<test::RingMemory>> rings;
  std::map<std::string, std::uint32_t, std::less<>> numbers;
  std::map<std::string, std::string, std::less<>> texts;
  // Threads may read the switch when the host is gone.
  struct Switched {
    CollectSwitch enabled{true};
    RecordedThread thread{&enabled};
  };
  std::shared_ptr<Switched> switched = std::make_shared<Switched>();
};

class EventspaceProbeTest : public testing::Test {
 protected:
  EventspaceProbeTest() { set_probe_host(host); }
  ~EventspaceProbeTest() override { remove_probe_host(*host); }
  std::shared_ptr<PlainHost> host = std::make_shared<PlainHost>();
};

void tick(int value) { EVENTSPACE_PROBE("tick", value); }

TEST_F(EventspaceProbeTest, InASharedLibraryOfTheProgramFindsThisSession) {
  void* const library = ::dlopen(PROBE_IN_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << ::dlerror();
  const auto probe = reinterpret_cast<decltype(&probe_in_c)>(::dlsym(library, "probe_in_c"));
  ASSERT_NE(probe, nullptr);
  EXPECT_NE(probe, &probe_in_c);
  probe(3, 0.5, nullptr);
  EXPECT_EQ(::dlclose(library), 0);
  EXPECT_EQ(host->told().substr(0, 9), "nothing()");
}

TEST_F(EventspaceProbeTest, RecordsItsNameAndValues) {
  const std::uint64_t iteration = 12;
  const double residual = 0.25;
  EVENTSPACE_PROBE("iteration_end", iteration, residual);
  EXPECT_EQ(host->told(),
            "iteration_end(12," + std::to_string(std::bit_cast<std::uint64_t>(residual)) + ") ");
  EXPECT_EQ(host->texts["iteration_end"], "iteration, residual");
}

TEST_F(EventspaceProbeTest, TakesAllTypesOfNumbers) {
  enum class Colour : std::uint8_t { red = 3 };
  int number = 0;
  EVENTSPACE_PROBE("types", true, Colour::red);
  EVENTSPACE_PROBE("types", std::int8_t{-1}, &number);
  EXPECT_EQ(host->told(), "types(1,3) types(" + std::to_string(~std::uint64_t{0}) + "," +
                              std::to_string(reinterpret_cast<std::uintptr_t>(&number)) + ") ");
}

TEST_F(EventspaceProbeTest, RegionsNestAndEndWithTheirBlocks) {
  {
    EVENTSPACE_REGION("outer");
    EVENTSPACE_REGION_BEGIN("inner");
    EVENTSPACE_REGION_END("inner", 4);
    tick(1);
  }
  EXPECT_EQ(host->told(), "inner(4) tick(1) outer() ");
}

TEST_F(EventspaceProbeTest, WorksInC) {
  probe_in_c(3, 0.5, "text");
  EXPECT_EQ(host->rings.size(), 1u);
  EXPECT_TRUE(host->told().starts_with("nothing() values(")) << host->told();
  EXPECT_TRUE(host->told().ends_with("in c(4) at() at(200) in c(3) ")) << host->told();
  EXPECT_EQ(host->steps("at"), (std::vector<std::string>{"3", "4"}));
  EXPECT_EQ(host->steps("in c"), (std::vector<std::string>{"passage 0", "5"}));
  EXPECT_EQ(host->texts["values"], "count, share, text, small");
}

TEST_F(EventspaceProbeTest, AProbeCanHaveAVirtualTime) {
  for (int i = 0; i < 2; ++i) EVENTSPACE_PROBE_AT("loop", 10 * i, i);
  EVENTSPACE_PROBE_AT("loop", 7u);
  EVENTSPACE_PROBE("loop");
  EXPECT_EQ(host->told(), "loop(0) loop(1) loop() loop() ");
  EXPECT_EQ(host->steps("loop"), (std::vector<std::string>{"0", "10", "7", "passage 3"}));
  {
    EVENTSPACE_REGION_BEGIN("solve");
    EVENTSPACE_REGION_END_AT("solve", 8, 2);
  }
  EXPECT_EQ(host->steps("solve"), (std::vector<std::string>{"8"}));
}

TEST_F(EventspaceProbeTest, PassagesOfANameCountFromAllPlacesOfTheThread) {
  tick(1);
  EVENTSPACE_PROBE("tick");
  std::thread([] { tick(2); }).join();
  tick(3);
  EXPECT_EQ(host->steps("tick"), (std::vector<std::string>{"passage 0", "passage 1", "passage 2"}));
}

TEST_F(EventspaceProbeTest, APlaceInTheCodeAsksForItsNumberOnce) {
  for (int i = 0; i < 10; ++i) tick(i);
  EXPECT_EQ(host->asked, 1);
}

TEST_F(EventspaceProbeTest, EachThreadHasItsOwnTraceElement) {
  tick(1);
  std::thread([] { tick(2); }).join();
  EXPECT_EQ(host->told(0), "tick(1) ");
  EXPECT_EQ(host->told(1), "tick(2) ");
}

TEST_F(EventspaceProbeTest, AHostWithoutRoomIsAskedOnceForEachThread) {
  host->is_full = true;
  tick(1);
  host->is_full = false;
  tick(2);
  EXPECT_TRUE(host->rings.empty());
  forget_probe_thread();
  tick(3);
  EXPECT_EQ(host->told(), "tick(3) ");
}

TEST_F(EventspaceProbeTest, AHostThatThrowsDoesNotEndTheProgram) {
  host->throws = true;
  EVENTSPACE_PROBE("lost");
  forget_probe_thread();
  host->throws = false;
  host->throws_at_names = true;
  EVENTSPACE_PROBE("without a name", 1);
  EXPECT_EQ(host->told(), "(1) ");
}

TEST_F(EventspaceProbeTest, WithoutAHostNothingHappens) {
  remove_probe_host(*host);
  tick(1);
  EXPECT_TRUE(host->rings.empty());
}

TEST_F(EventspaceProbeTest, ANewHostGetsWhatComesLater) {
  tick(1);
  const auto next = std::make_shared<PlainHost>();
  set_probe_host(next);
  tick(2);
  remove_probe_host(*host);  // no longer the host: changes nothing
  tick(3);
  EXPECT_EQ(host->told(), "tick(1) ");
  EXPECT_EQ(next->told(), "tick(2) tick(3) ");
  remove_probe_host(*next);
}

TEST_F(EventspaceProbeTest, MemoryOutlivesTheHostWhileAThreadMayWriteToIt) {
  tick(1);
  const std::weak_ptr<test::RingMemory> memory = host->rings[0];
  remove_probe_host(*host);
  host->rings.clear();
  EXPECT_FALSE(memory.expired());
  forget_probe_thread();
  EXPECT_TRUE(memory.expired());
}

TEST_F(EventspaceProbeTest, AForkedChildDoesNotWriteToItsParentsTraceElements) {
  tick(1);
  const pid_t child = ::fork();
  if (child == 0) {
    tick(2);
    ::_exit(host->told() == "tick(1) " ? 0 : 1);
  }
  int status = 1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  tick(3);
  EXPECT_EQ(host->told(), "tick(1) tick(3) ");
}

// For ThreadSanitizer: hosts come and go while threads record.
TEST_F(EventspaceProbeTest, HostsMayChangeWhileThreadsRecord) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&stop] {
      for (int value = 0; !stop; ++value) tick(value);
    });
  }
  for (int i = 0; i < 200; ++i) {
    const auto next = std::make_shared<PlainHost>();
    set_probe_host(next);
    remove_probe_host(*next);
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace eventspace
