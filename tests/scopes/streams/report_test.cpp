#include <eventspace/stream_network.h>

#include <gtest/gtest.h>

#include <eventspace/streams.h>

// Reports come from other processes as text.

namespace eventspace::streams {
namespace {

NetworkReport a_report() {
  NetworkReport report{.network = "tools",
                       .topology = "any:0 => any:1 ;\nany:1 => any:2 ;\n",
                       .back_ends = 1,
                       .attached = RankSet::of_range(0, 0),
                       .internals = RankSet::of_range(1, 1),
                       .silent = {}};
  ProcessReport process{.process = 1, .host = "n1", .pid = 77, .endpoint = "tcp://n1:4", .malformed = 2};
  process.streams.push_back(
      {.stream = 3,
       .when_full = WhenFull::drop_oldest,
       .counters = {.received = 1, .received_bytes = 70, .waves = 5, .faults = 9, .synchronising_ns = 12},
       .unfinished = {4, 96},
       .filters = {{"sum", false, {.applied = 5, .taken = 10, .made = 5, .ns = 100}},
                   {"min", true, {.applied = 1, .ns = 20}}}});
  report.processes = {{.process = 0, .host = "login", .pid = 5}, process};
  return report;
}

TEST(ReportTest, WhatIsWrittenIsReadAgain) {
  const std::string text = to_text(a_report());
  const auto read = parse_network_report(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(to_text(*read), text);
  ASSERT_EQ(read->processes.size(), 2u);
  const ProcessReport& process = read->processes.back();
  EXPECT_EQ(process.endpoint, "tcp://n1:4");
  EXPECT_EQ(process.malformed, 2u);
  ASSERT_EQ(process.streams.size(), 1u);
  EXPECT_EQ(process.streams[0].counters.faults, 9u);
  EXPECT_EQ(process.streams[0].unfinished, (Load{4, 96}));
  EXPECT_EQ(process.streams[0].when_full, WhenFull::drop_oldest);
  EXPECT_EQ(process.streams[0].counters.synchronising_ns, 12u);
  ASSERT_EQ(process.streams[0].filters.size(), 2u);
  EXPECT_TRUE(process.streams[0].filters[1].down);
  EXPECT_EQ(process.streams[0].filters[0].name, "sum");
  EXPECT_EQ(process.streams[0].filters[0].counters.taken, 10u);
  EXPECT_EQ(process.streams[0].filtering_ns(), 120u);
}

TEST(ReportTest, WhatIsNoReportIsRefused) {
  for (const char* text : {"", "junk", "process 1 2", "process 1 2 3\nstream 4 5", "host n1",
                           "process 1 2 3\nfilter 0 1 2 3 4 5 sum",
                           "process 1 2 3\nstream 4 9 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
                           "process 1 2 3\nhost \x1b[2J", "process 1 2 3\nprocess 2 2 3"})
    EXPECT_FALSE(parse_process_report(text)) << text;
  EXPECT_FALSE(parse_network_report("network x\nattached 4-\n"));
  EXPECT_FALSE(parse_network_report("attached 4\n")) << "it has no name";
}

}  // namespace
}  // namespace eventspace::streams
