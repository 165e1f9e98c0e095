#pragma once

#include <span>
#include <string>
#include <vector>

#include "scopes/pulls/pull_bodies.h"
#include "scopes/pulls/record_block.h"
#include "scopes/pulls/record_parts.h"
#include "scopes/pulls/view_codec.h"
#include "tests/paths/wire/wire_talk.h"

namespace eventspace::test {

inline Aggregate aggregate_of(Reduction reduction, const std::string& group) {
  Aggregate aggregate;
  aggregate.name = "duration";
  aggregate.group = group;
  aggregate.unit = "ns";
  aggregate.reduction = reduction;
  for (const double number : {4.0, 17.0, -2.0}) aggregate.add(number);
  return aggregate;
}

inline View full_view() {
  View view;
  view.aggregates = {aggregate_of(Reduction::histogram, "t1"), aggregate_of(Reduction::mean, "t2")};
  view.records.push_back({{1, 2, 3, 4, 5, 6, 7, 0xffffffffffffffff}});
  view.records.push_back({{8, 7, 6, 5, 4, 3, 2, 1}});
  view.collective_parts.push_back({1, 2, 77, 35, {9, 1000}, {10, 1001}, {11, UINT64_MAX}, 4000});
  view.collective_sums.push_back({2, 9, CollectiveTime::passing_up, 7, 900, 500});
  view.collective_sums.push_back({2, 3, CollectiveTime::handing_down, 1, -9, -9});
  view.parcels.push_back({ViewParcel::Of::metric, {std::byte{1}, std::byte{0}, std::byte{255}}});
  view.loss = {1, 2, 3, 4, 5, 6, 7};
  view.missing.push_back({"n1", "server of node n1", MissingCause::late, "why", 7});
  view.missing.push_back({"n1", "process p1", MissingCause::restarted, "how often", 3});
  view.missing.push_back({"n2", "server of node n2", MissingCause::skipped, "since when", 5});
  ProcessReport process;
  process.process = 2;
  process.pid = 4711;
  process.start_ticks = 99;
  process.state = RunState::stopped;
  process.now_ticks = 123456;
  process.clock = {ClockSource::tsc, 0, 1, 2, 3, 0.25, 12.5};
  process.now_monotonic_ns = -5;
  process.now_error_ns = 40;
  process.rate_ppm = -12.5;
  process.rate_error_ppm = 0.5;
  process.relation = {true, 2, 1000, -77, 12.5, 300, 212.5, 500, 400, -9};
  process.followed = true;
  process.threads.push_back({5, 4712, 'D', 1000});
  process.usage = ProcessUsage{1'000'000'007, 4096 * 77, 12, 3, 2.5, 16};
  process.in_flight.push_back({{0, 77, 88, UINT64_MAX, 0, 0, 0, 0}});
  view.processes.push_back(process);
  view.levels.push_back({"all", std::chrono::nanoseconds(17), 18, 19});
  view.sources_read = 12;
  view.gone_ahead = 13;
  view.names = {{OwnNameOf::probe, 7, "solve"}, {OwnNameOf::values, 7, "steps, residual"}};
  view.positions = {{3, 2, 4711, 99, UINT64_MAX}, {5, 2, 4711, 99, 1}, {4, 2, -1, -7, 0}};
  return view;
}

inline std::vector<Bytes> part_pieces() {
  static const std::vector<TraceTuple> tuples{{{1, 2, 3, 4, 5, 6, 7, 8}}, {{8, 7, 6, 5, 4, 3, 2, 1}}};
  return {std::as_bytes(std::span(tuples))};
}

/// Returns the body of a reply with `view`.
inline wire::Message body_of(const View& view) {
  wire::Message body;
  write_view(view, body);
  return body;
}

/// Returns a server's answer to a pull.
inline wire::Message reply_of(std::uint64_t id, const View& view, wire::Done done = {}) {
  wire::Message reply = wire::encode(id, done);
  write_view(view, reply);
  wire::seal(reply);
  return reply;
}

/// Returns the body of a part with the records of several pieces.
inline wire::Message part_of(std::uint64_t id, std::span<const Bytes> pieces, ByteOrder order) {
  wire::Message part = wire::encode(wire::Kind::part, id);
  msgpack_body::write_into(
      part, [&](wire::EntryWriter writer) { wire::RecordArray::write(writer, pieces, order); });
  wire::seal(part);
  return part;
}

}  // namespace eventspace::test
