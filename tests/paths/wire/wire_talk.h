#pragma once

#include "paths/wire/wire.h"
#include "tests/tuplespace/octets.h"

namespace eventspace::test {

inline constexpr std::size_t most = 1u << 20;

inline wire::ParsedHeader parsed(const wire::Message& message) { return wire::parse_header(message, most); }

inline wire::OperateRequest full_operation() { return {3, Verb::take, 2'000'000, 9, 8}; }

inline ClockRelation full_relation() { return {true, 2, 1000, -77, 12.5, 300, 212.5, 500, 400, -9}; }

inline wire::Done full_done() { return {Status::timed_out, "reason", 13, full_relation()}; }

inline wire::ServerReport full_report() {
  return {"node n1", "wind", 0xfeed, 4711, 1, 2, 3, 4, 5, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}};
}

/// Returns `message` with a body after its envelope.
inline wire::Message with_body(wire::Message message, const Octets& body) {
  message.insert(message.end(), body.begin(), body.end());
  wire::seal(message);
  return message;
}

/// One valid message of each kind.
inline std::vector<wire::Message> good_messages() {
  return {wire::encode(1, wire::OpenRequest{"path", octets("01 02"), {"tcp://a:1", "tcp://b:2"}, true}),
          wire::encode(2, wire::CloseRequest{77, 5, "t5 gave up"}),
          with_body(wire::encode(3, full_operation()), octets("de ad")),
          wire::encode(wire::Kind::ping, 4),
          wire::encode(5, wire::Opened{77}),
          wire::encode(wire::Kind::closed, 6),
          with_body(wire::encode(7, full_done()), octets("be ef")),
          wire::encode(7, full_done(), wire::Timing::timed),
          with_body(wire::encode(wire::Kind::part, 7), octets("01 02 03")),
          with_body(wire::encode(wire::Kind::push, 8, wire::Push{77}), octets("04")),
          wire::encode(wire::Kind::pushed, 8, wire::Push{77}),
          wire::encode(wire::Kind::credit, 9, wire::Credit{77, 1000}),
          wire::encode(wire::Kind::credited, 9, wire::Credit{77, UINT64_MAX}),
          wire::encode(10, wire::Cancel{77, 3}),
          wire::encode(8, full_report()),
          wire::encode(9, wire::Failure{wire::Fault::busy, "too many"})};
}

/// Decodes an envelope as every kind. Each decoder may only accept or refuse it.
inline void decode_as_everything(Bytes envelope) {
  (void)wire::decode<wire::OpenRequest>(envelope);
  (void)wire::decode<wire::CloseRequest>(envelope);
  (void)wire::decode<wire::OperateRequest>(envelope);
  (void)wire::decode<wire::Opened>(envelope);
  (void)wire::decode<wire::Done>(envelope);
  (void)wire::decode<wire::Push>(envelope);
  (void)wire::decode<wire::Cancel>(envelope);
  (void)wire::decode<wire::Credit>(envelope);
  (void)wire::decode<wire::Failure>(envelope);
  (void)wire::decode<wire::ServerReport>(envelope);
}

}  // namespace eventspace::test
