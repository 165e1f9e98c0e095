#pragma once

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <eventspace/error.h>
#include "tests/error_text.h"
#include "tests/tuplespace/temporary_directory.h"
#include "tests/tuplespace/trace/trace_ring.h"
#include "tuplespace/trace/segment.h"

namespace eventspace::test {

/// The configuration of process p0 on node n1 in the session "wind", with threads 7 and 9 and two trace
/// elements.
inline Segment::Config small_segment(const std::filesystem::path& directory) {
  Segment::Config config;
  config.identity = {"wind", "n1", "p0", 0xfeed};
  config.clock.ns_per_tick = 0.5;
  config.threads = {7, 9};
  config.traces = {{"t7/north@thread", 3, 30, 7, 0, 4}, {"t9/south@element", 5, 31, 9, 1, 2}};
  config.directory = directory;
  return config;
}

inline std::vector<char> content_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}
inline void write_file(const std::filesystem::path& file, const std::vector<char>& content) {
  std::filesystem::remove(file);  // overwriting can be slow on some file systems
  std::ofstream(file, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
  std::filesystem::permissions(file, std::filesystem::perms(0600));
}

/// Returns why a file is refused, or "" if it is accepted; then everything in it is read.
inline std::string refusal_of(const std::filesystem::path& file) {
  return test::error_text<EnvironmentError>([&] {
    const SegmentView view(file);
    std::vector<TraceTuple> tuples;
    for (const SegmentView::Trace& trace : view.traces()) {
      trace.reader.read_after(0, 1000, tuples);
      (void)trace.reader.newest();
      (void)trace.reader.in_flight();
    }
    for (std::size_t i = 0; i < view.threads().size(); ++i) (void)view.tid(i);
    (void)view.ended();
    (void)view.refused();
  });
}

/// Returns the contents of a process's segment, including additions: "threads 7 9=4711, traces
/// t7/north@thread(2), names 1:2 x". A thread has its tid if it is bound, a trace element the number of its
/// events.
inline std::string inventory_of(const SegmentView& view) {
  std::ostringstream text;
  text << "threads";
  for (std::size_t i = 0; i < view.threads().size(); ++i) {
    text << ' ' << view.threads()[i];
    if (view.tid(i) != 0) text << '=' << view.tid(i);
  }
  text << ", traces";
  for (const SegmentView::Trace& trace : view.traces())
    text << ' ' << trace.spec.name << '(' << trace.reader.published() << ')';
  text << ", names";
  for (const SegmentName& name : view.names())
    text << ' ' << name.of << ':' << name.number << ' ' << name.text;
  return text.str();
}

/// A trace element of thread 17.
inline TraceSpec added_trace(const std::string& name, std::uint32_t number, std::uint32_t threshold = 2) {
  return {name, number, 100 + number, 17, 1, threshold};
}

}  // namespace eventspace::test
