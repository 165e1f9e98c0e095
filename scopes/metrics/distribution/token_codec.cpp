#include "scopes/metrics/distribution/token_codec.h"

#include <limits>

#include "paths/wire/msgpack_body.h"

namespace eventspace::metrics {
namespace {

using msgpack_body::Body;
using msgpack_body::BodyError;
using msgpack_body::Entries;
using msgpack_body::pack_real;
using msgpack_body::Packer;

// Each kind of token is one flat array, which is fast for large numbers of tokens.

void pack_object(Packer& packer, const Tokens::Object& object) {
  packer.pack(object.process);
  packer.pack(object.thread);
}

Tokens::Object read_object(Entries& entries) {
  const auto process = entries.integer<std::uint32_t>();
  return {process, entries.integer<std::uint32_t>()};
}

/// -1 means none.
std::optional<std::uint32_t> read_number_or_none(Entries& entries) {
  const auto number = entries.integer<std::int64_t>();
  if (number < -1 || number > std::numeric_limits<std::uint32_t>::max()) throw BodyError();
  return number < 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(number));
}

void pack_counts(Packer& packer, const std::vector<Tokens::Count>& counts) {
  packer.pack_array(static_cast<std::uint32_t>(counts.size() * 7));
  for (const Tokens::Count& count : counts) {
    packer.pack(count.counter);
    pack_object(packer, count.of);
    // 0 means all partners; otherwise the kind plus 1.
    packer.pack(static_cast<std::uint8_t>(count.partner ? 1 + static_cast<int>(count.partner->kind) : 0));
    packer.pack(count.partner ? count.partner->number : 0);
    packer.pack(count.region ? std::int64_t{*count.region} : std::int64_t{-1});
    pack_real(packer, count.total);
  }
}

Tokens::Count read_count(Entries& entries) {
  Tokens::Count count;
  count.counter = entries.integer<std::uint32_t>();
  count.of = read_object(entries);
  const auto kind = entries.integer<std::uint8_t>();
  const auto number = entries.integer<std::uint32_t>();
  if (kind > 1 + static_cast<int>(Partner::Kind::rank)) throw BodyError();
  if (kind > 0) count.partner = Partner{static_cast<Partner::Kind>(kind - 1), number};
  count.region = read_number_or_none(entries);
  count.total = entries.real();
  return count;
}

void pack_values(Packer& packer, const std::vector<Tokens::Value>& values) {
  packer.pack_array(static_cast<std::uint32_t>(values.size() * 11));
  for (const Tokens::Value& value : values) {
    packer.pack(value.sampler);
    pack_object(packer, value.of);
    packer.pack(value.step.epoch);
    packer.pack(value.step.virtual_time);
    packer.pack(static_cast<std::uint8_t>(value.datum.state));
    packer.pack(static_cast<std::uint8_t>(value.datum.problem));
    pack_real(packer, value.datum.number);
    packer.pack(value.datum.time_ns);
    packer.pack(value.datum.begin_ns);
    packer.pack(value.datum.end_ns);
  }
}

Problem read_problem(Entries& entries) { return entries.enumeration(Problem::none, Problem::no_value); }

/// Larger times are refused, since sums of times could overflow.
std::int64_t read_time(Entries& entries) {
  constexpr std::int64_t most = std::int64_t{1} << 61;
  const auto time = entries.integer<std::int64_t>();
  if (time > most || time < -most) throw BodyError();
  return time;
}

/// The bounds leave room for adding the epochs of servers and shifting virtual times.
Step read_step(Entries& entries) {
  constexpr std::int64_t max_epochs = std::int64_t{1} << 40;
  constexpr std::int64_t most = std::int64_t{1} << 62;
  const auto epoch = entries.integer<std::int64_t>();
  const auto virtual_time = entries.integer<std::int64_t>();
  if (epoch < 0 || epoch > max_epochs || virtual_time > most || virtual_time < -most) throw BodyError();
  return {epoch, virtual_time};
}

Tokens::Value read_value(Entries& entries) {
  Tokens::Value value;
  value.sampler = entries.integer<std::uint32_t>();
  value.of = read_object(entries);
  value.step = read_step(entries);
  value.datum.state = entries.enumeration(Datum::State::absent, Datum::State::present);
  value.datum.problem = read_problem(entries);
  value.datum.number = entries.real();
  value.datum.time_ns = read_time(entries);
  value.datum.begin_ns = read_time(entries);
  value.datum.end_ns = read_time(entries);
  return value;
}

void pack_in_flight(Packer& packer, const std::vector<Tokens::InFlight>& all) {
  packer.pack_array(static_cast<std::uint32_t>(all.size() * 4));
  for (const Tokens::InFlight& in_flight : all) {
    packer.pack(in_flight.counter);
    pack_object(packer, in_flight.of);
    packer.pack(in_flight.since_ns);
  }
}

Tokens::InFlight read_in_flight(Entries& entries) {
  Tokens::InFlight in_flight;
  in_flight.counter = entries.integer<std::uint32_t>();
  in_flight.of = read_object(entries);
  in_flight.since_ns = read_time(entries);
  return in_flight;
}

void pack_reached(Packer& packer, const std::vector<Tokens::Reached>& all) {
  packer.pack_array(static_cast<std::uint32_t>(all.size() * 5));
  for (const Tokens::Reached& reached : all) {
    packer.pack(reached.sampler);
    pack_object(packer, reached.of);
    packer.pack(reached.step.epoch);
    packer.pack(reached.step.virtual_time);
  }
}

Tokens::Reached read_reached(Entries& entries) {
  Tokens::Reached reached;
  reached.sampler = entries.integer<std::uint32_t>();
  reached.of = read_object(entries);
  reached.step = read_step(entries);
  return reached;
}

void pack_sum(Packer& packer, const ExactSum& sum) {
  pack_real(packer, sum.high);
  pack_real(packer, sum.low);
}

ExactSum read_sum(Entries& entries) {
  const double high = entries.real();
  return {high, entries.real()};
}

void pack_collected(Packer& packer, const Tokens::Collected& collected) {
  const Tally::State& state = collected.state;
  packer.pack_array(21);
  packer.pack(collected.collection);
  pack_object(packer, collected.of);
  packer.pack(state.count);
  for (const ExactSum* const sum : {&state.sum, &state.squares, &state.product, &state.times})
    pack_sum(packer, *sum);
  for (const double number : {state.least, state.greatest, state.first}) pack_real(packer, number);
  packer.pack(state.differ);
  packer.pack(static_cast<std::uint8_t>(state.problem));
  packer.pack(state.timed);
  packer.pack(state.begin_ns);
  packer.pack(state.end_ns);
  packer.pack_array(static_cast<std::uint32_t>(state.newest().size()));
  for (const double number : state.newest()) pack_real(packer, number);
}

Tokens::Collected read_collected(Entries entries) {
  Tokens::Collected collected;
  Tally::State& state = collected.state;
  collected.collection = entries.integer<std::uint32_t>();
  collected.of = read_object(entries);
  state.count = entries.integer<std::uint64_t>();
  for (ExactSum* const sum : {&state.sum, &state.squares, &state.product, &state.times})
    *sum = read_sum(entries);
  for (double* const number : {&state.least, &state.greatest, &state.first}) *number = entries.real();
  state.differ = entries.boolean();
  state.problem = read_problem(entries);
  state.timed = entries.integer<std::uint64_t>();
  state.begin_ns = read_time(entries);
  state.end_ns = read_time(entries);
  Entries kept = entries.array();
  if (kept.left() > Tally::max_kept) throw BodyError();
  while (kept.more()) state.kept.push_back(kept.real());
  entries.expect_end();
  return collected;
}

/// Packs pairs of a number in the part and a count.
template <class Token>
void pack_numbered(Packer& packer, const std::vector<Token>& all) {
  packer.pack_array(static_cast<std::uint32_t>(all.size() * 2));
  for (const auto& [number, times] : all) {
    packer.pack(number);
    packer.pack(times);
  }
}

template <class Token>
Token read_numbered(Entries& entries) {
  const auto number = entries.integer<std::uint32_t>();
  return {number, entries.integer<std::uint64_t>()};
}

void pack_given_up(Packer& packer, const std::vector<Tokens::GivenUp>& all) {
  packer.pack_array(static_cast<std::uint32_t>(all.size() * 4));
  for (const Tokens::GivenUp& given_up : all) {
    packer.pack(given_up.number);
    packer.pack(given_up.steps);
    packer.pack(given_up.together_with);
    packer.pack(given_up.unmatched);
  }
}

Tokens::GivenUp read_given_up(Entries& entries) {
  const auto number = entries.integer<std::uint32_t>();
  const auto steps = entries.integer<std::uint64_t>();
  const auto together_with = entries.integer<std::uint32_t>();
  return {number, steps, together_with, entries.integer<std::uint64_t>()};
}

void pack_left_out(Packer& packer, const std::vector<Tokens::LeftOut>& all) {
  packer.pack_array(static_cast<std::uint32_t>(all.size() * 3));
  for (const Tokens::LeftOut& left_out : all) {
    packer.pack(left_out.counter);
    packer.pack(left_out.events);
    packer.pack(left_out.regions);
  }
}

Tokens::LeftOut read_left_out(Entries& entries) {
  const auto counter = entries.integer<std::uint32_t>();
  const auto events = entries.integer<std::uint64_t>();
  return {counter, events, entries.integer<std::uint64_t>()};
}

template <class Token>
void read_flat(Entries entries, std::vector<Token>& tokens, Token (*read_one)(Entries&)) {
  while (entries.more()) tokens.push_back(read_one(entries));
}

Tokens read_tokens(Entries& entries) {
  Tokens tokens;
  tokens.metric = entries.integer<std::uint32_t>();
  tokens.server = entries.integer<std::uint64_t>();
  tokens.process = read_number_or_none(entries);
  read_flat(entries.array(), tokens.threads, read_object);
  read_flat(entries.array(), tokens.counts, read_count);
  read_flat(entries.array(), tokens.in_flight, read_in_flight);
  read_flat(entries.array(), tokens.values, read_value);
  read_flat(entries.array(), tokens.reached, read_reached);
  for (Entries list = entries.array(); list.more();) tokens.collected.push_back(read_collected(list.array()));
  read_flat(entries.array(), tokens.passed, read_numbered<Tokens::Passed>);
  read_flat(entries.array(), tokens.streams_given_up, read_given_up);
  read_flat(entries.array(), tokens.collections_given_up, read_given_up);
  read_flat(entries.array(), tokens.dropped, read_numbered<Tokens::Dropped>);
  read_flat(entries.array(), tokens.left_out, read_left_out);
  entries.expect_end();
  return tokens;
}

}  // namespace

std::vector<std::byte> encode(const Tokens& tokens) {
  std::vector<std::byte> bytes;
  msgpack_body::pack_into(bytes, [&](Packer& packer) {
    packer.pack_array(15);
    packer.pack(token_version);
    packer.pack(tokens.metric);
    packer.pack(tokens.server);
    packer.pack(tokens.process ? std::int64_t{*tokens.process} : std::int64_t{-1});
    packer.pack_array(static_cast<std::uint32_t>(tokens.threads.size() * 2));
    for (const Tokens::Object& thread : tokens.threads) pack_object(packer, thread);
    pack_counts(packer, tokens.counts);
    pack_in_flight(packer, tokens.in_flight);
    pack_values(packer, tokens.values);
    pack_reached(packer, tokens.reached);
    packer.pack_array(static_cast<std::uint32_t>(tokens.collected.size()));
    for (const Tokens::Collected& collected : tokens.collected) pack_collected(packer, collected);
    pack_numbered(packer, tokens.passed);
    pack_given_up(packer, tokens.streams_given_up);
    pack_given_up(packer, tokens.collections_given_up);
    pack_numbered(packer, tokens.dropped);
    pack_left_out(packer, tokens.left_out);
  });
  return bytes;
}

std::optional<Tokens> decode_tokens(Bytes bytes) {
  try {
    Body body(bytes);
    Entries entries(body);
    if (entries.integer<std::uint8_t>() != token_version) return std::nullopt;
    Tokens tokens = read_tokens(entries);
    body.expect_end();
    return tokens;
  } catch (const BodyError&) {
    return std::nullopt;
  }
}

}  // namespace eventspace::metrics
