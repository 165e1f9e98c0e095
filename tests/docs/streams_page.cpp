// The C++ code of docs/streams.md: docs_test compares it with the page, and tests/house compiles it with
// public headers only. It is not run.
#include <eventspace/packet.h>
#include <eventspace/session.h>
#include <eventspace/session_network.h>
#include <eventspace/stream_filter.h>
#include <eventspace/stream_network.h>
#include <eventspace/streams.h>
#include <eventspace/topology.h>
#include <poll.h>

#include <chrono>
#include <cstdint>

namespace eventspace::streams {

using namespace std::chrono_literals;

void show(const Packet& packet);

void launch() {
  Topology topology = Topology::of_text("4x8");
  topology.place("login", {}, parse_hosts("n[1-4]"));
  LaunchedNetwork network(topology, {.back_end = {"my-daemon", "--verbose"}});
  network.wait_until_ready(Deadline::after(30s));
  FrontEnd& front_end = network.front_end();
  front_end.serve(Deadline::now());
}

void attach(RankSet::Rank my_mpi_rank) {
  BackEnd back_end(AttachPoint::from_environment(my_mpi_rank), Deadline::after(30s));
}

void launch_for_session() {
  PathmapNetwork made = network_of("app.yaml", BackEnds::processes);  // the tool
  made.options.session = "app";
  LaunchedNetwork network(made.topology, made.options);
}

void attach_to_session() {
  Session session = Session::from_environment();  // a process of the application
  const auto back_end = session.back_end(Deadline::after(30s));
}

void select(FrontEnd& front_end, std::uint32_t stream) {
  EndPoints end_points(front_end.topology());
  end_points.label(*RankSet::parse("0-7"), "role", "solver");
  end_points.name("upper", end_points.where("role == 'solver' and rank >= 4 and host matches 'n[1-4]'"));
  front_end.set_members(stream, end_points.set("upper") - end_points.on_host("n3"));
}

void store(const EndPoints& end_points) { StoredGroups("solver").store("upper", end_points.set("upper")); }

void poll(FrontEnd& front_end) {
  pollfd waited{front_end.descriptor(), POLLIN, 0};
  while (::poll(&waited, 1, -1) >= 0) {
    while (const auto received = front_end.receive(Deadline::now())) show(received->packet);
  }
}

void measure(FrontEnd& front_end, BackEnd& back_end) {
  while (const auto received = back_end.receive(Deadline::never())) {
    // the front-end
    const ClockSkews skews = measure_clock_skew(front_end, {.rounds = 20}, Deadline::after(10s));
    // each back-end
    if (answer_clock_skew(back_end, *received)) continue;
    show(received->packet);
  }
}

std::uint32_t open_with_median(FrontEnd& front_end) {
  const std::uint32_t stream =
      front_end.open({.up = {{.name = "median", .library = "/home/me/tools/median.so", .limit = 50ms}}});
  return stream;
}

void open_with_different_filters(FrontEnd& front_end) {
  const EndPoints end_points(front_end.topology());
  const RankSet root = RankSet::of_range(rank_of_internal(0), rank_of_internal(0));
  front_end.open({.up = {{.name = "max", .processes = end_points.where("internal and level == 1")},
                         {.name = "concat", .processes = root}}});
}

bool change(FrontEnd& front_end, std::uint32_t stream) {
  const auto first = front_end.set_parameters(stream, "top", {{"k", std::int64_t{20}}}, Deadline::after(1s));
  return first.has_value();
}

void open_with_rule(FrontEnd& front_end) {
  front_end.open({.synchronise = Synchronise::rule,
                  .rule = {.name = "quorum",
                           .parameters = {{"of", std::int64_t{3}}},
                           .library = "/home/me/tools/quorum.so"},
                  .up = {{.name = "sum"}}});
}

}  // namespace eventspace::streams
