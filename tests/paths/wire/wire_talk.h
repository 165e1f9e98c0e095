#pragma once

#include "paths/wire/wire.h"
#include "tests/tuplespace/octets.h"

namespace eventspace::test {

inline constexpr std::size_t most = 1u << 20;

inline wire::ParsedHeader parsed(const wire::Message& message) { return wire::parse_header(message, most); }

inline wire::OperateRequest full_operation() {
  wire::OperateRequest request;
  request.target = 3;
  request.verb = Verb::take;
  request.from = From::after;
  request.sequence = 1234567890123;
  request.wait_us = 2'000'000;
  request.tuple = Tuple::of({std::int64_t{1}, "text"});
  request.match = Template{FieldType::integer,
                           std::string("text"),
                           true,
                           1.5,
                           2.0,
                           std::int64_t{-7},
                           std::vector<std::byte>{std::byte{1}}};
  request.pull_id = 9;
  request.pull_after = 8;
  request.with_threads = true;
  request.look_back = std::chrono::milliseconds(250);
  return request;
}

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
  view.processes.push_back(process);
  view.levels.push_back({"all", std::chrono::nanoseconds(17), 18, 19});
  view.sources_read = 12;
  view.gone_ahead = 13;
  view.positions = {{3, 2, 4711, 99, UINT64_MAX}, {5, 2, 4711, 99, 1}, {4, 2, -1, -7, 0}};
  return view;
}

inline wire::Done full_done() {
  return {Status::ok, 5, 6, "reason", Tuple::of({std::int64_t{1}}), full_view()};
}

inline wire::ServerReport full_report() {
  return {"node n1", "wind", 0xfeed, 4711, 1, 2, 3, 4, 5, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}};
}

inline std::vector<Bytes> part_pieces() {
  static const std::vector<TraceTuple> tuples{{{1, 2, 3, 4, 5, 6, 7, 8}}, {{8, 7, 6, 5, 4, 3, 2, 1}}};
  return {std::as_bytes(std::span(tuples))};
}

/// One good message of each kind.
inline std::vector<wire::Message> good_messages() {
  return {wire::encode(1, wire::OpenRequest{"path", octets("01 02"), {"tcp://a:1", "tcp://b:2"}, true}),
          wire::encode(2, wire::CloseRequest{77, 5, "t5 gave up"}),
          wire::encode(3, full_operation()),
          wire::encode(wire::Kind::ping, 4),
          wire::encode(5, wire::Opened{77}),
          wire::encode(wire::Kind::closed, 6),
          wire::encode(7, full_done()),
          wire::encode(7, full_done(), wire::Timing::timed),
          wire::encode_part(7, part_pieces(), ByteOrder::little),
          wire::encode_part(7, part_pieces(), ByteOrder::big),
          wire::encode(8, full_report()),
          wire::encode(9, wire::Failure{wire::Fault::busy, "too many"})};
}

/// Reads a body as every kind; none of it may do more than refuse.
inline void decode_as_everything(Bytes body) {
  (void)wire::decode_open(body);
  (void)wire::decode_close(body);
  (void)wire::decode_operate(body);
  (void)wire::decode_opened(body);
  (void)wire::decode_done(body);
  (void)wire::decode_part(body, nullptr);
  (void)wire::decode_failure(body);
  (void)wire::decode_report(body);
}

}  // namespace eventspace::test
