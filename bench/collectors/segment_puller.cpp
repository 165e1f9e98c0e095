// segment_puller SESSION: a minimal monitor. Every millisecond it reads all unread records of all trace
// elements of SESSION, until it is killed. While it is stopped (SIGSTOP), it does nothing.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <thread>
#include <vector>

#include "tuplespace/trace/segment.h"

int main(int argc, char** argv) {
  using namespace eventspace;
  try {
    const SegmentView segment(find_segments(argc == 2 ? argv[1] : "").at(0));
    std::vector<std::uint64_t> read(segment.traces().size(), 0);
    std::vector<TraceTuple> records;
    for (auto next = std::chrono::steady_clock::now();; std::this_thread::sleep_until(next)) {
      for (std::size_t i = 0; i < read.size(); ++i) {
        records.clear();
        read[i] = segment.traces()[i].reader.read_after(read[i], 1'000'000, records).last;
      }
      next = std::max(next + std::chrono::milliseconds(1), std::chrono::steady_clock::now());
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "segment_puller: %s\n", error.what());
    return 1;
  }
}
