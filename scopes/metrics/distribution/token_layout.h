#pragma once

// The fields of the tokens that servers send. Lists of small structs are flat arrays, which is fast for large
// numbers of tokens.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "paths/wire/fields.h"
#include "scopes/metrics/distribution/token_codec.h"
#include "scopes/metrics/evaluation/tokens.h"

namespace eventspace::wire {

using metrics::Datum;
using metrics::ExactSum;
using metrics::Partner;
using metrics::Problem;
using metrics::Step;
using metrics::Tally;
using metrics::Tokens;

/// A time in nanoseconds. Larger times are refused, since sums of times could overflow.
using TokenTime = Between<-(std::int64_t{1} << 61), std::int64_t{1} << 61>;
using ProblemForm = OneOf<Problem::none, Problem::no_value>;

/// The bounds leave room for adding the epochs of servers and shifting virtual times.
template <>
struct Layout<Step>
    : Array<Step, Field<&Step::epoch, Between<std::int64_t{0}, std::int64_t{1} << 40>>,
            Field<&Step::virtual_time, Between<-(std::int64_t{1} << 62), std::int64_t{1} << 62>>> {};

template <>
struct Layout<Datum> : Array<Datum, Field<&Datum::state, OneOf<Datum::State::absent, Datum::State::present>>,
                             Field<&Datum::problem, ProblemForm>, Field<&Datum::number>, Unsent<&Datum::text>,
                             Field<&Datum::time_ns, TokenTime>, Field<&Datum::begin_ns, TokenTime>,
                             Field<&Datum::end_ns, TokenTime>> {};

template <>
struct Layout<ExactSum> : Array<ExactSum, Field<&ExactSum::high>, Field<&ExactSum::low>> {};

/// The values that are kept for a percentile: of more, the newest.
struct KeptValues : List<Real, Tally::max_kept> {
  template <class Sink>
  static void write(Sink sink, const std::vector<double>& kept) {
    List::write(sink, std::span(kept).last(std::min(kept.size(), Tally::max_kept)));
  }
};

template <>
struct Layout<Tally::State>
    : Array<Tally::State, Field<&Tally::State::count>, Field<&Tally::State::sum, Flattened>,
            Field<&Tally::State::squares, Flattened>, Field<&Tally::State::product, Flattened>,
            Field<&Tally::State::times, Flattened>, Field<&Tally::State::least>,
            Field<&Tally::State::greatest>, Field<&Tally::State::first>, Field<&Tally::State::differ>,
            Field<&Tally::State::problem, ProblemForm>, Field<&Tally::State::timed>,
            Field<&Tally::State::begin_ns, TokenTime>, Field<&Tally::State::end_ns, TokenTime>,
            Field<&Tally::State::kept, KeptValues>> {};

/// The partner of a count as two entries: its kind plus 1, and its number; 0 and 0 for all partners.
struct PartnerOrAll {
  static constexpr std::string_view name = "kind and number";
  template <class T>
  static constexpr SizeBounds bounds{2, 7};
  static constexpr std::size_t count(const std::optional<Partner>& /*partner*/) noexcept { return 2; }

  template <class Sink>
  static void write(Sink sink, const std::optional<Partner>& partner) {
    sink.integer(static_cast<std::uint8_t>(partner ? 1 + static_cast<int>(partner->kind) : 0));
    sink.integer(partner ? partner->number : 0);
  }
  template <class Source>
  static void read(Source& source, std::optional<Partner>& partner) {
    constexpr auto most = static_cast<std::uint8_t>(1 + static_cast<int>(Partner::Kind::rank));
    const auto kind = source.template integer<std::uint8_t>(0, most);
    const auto number = source.template integer<std::uint32_t>();
    partner.reset();
    if (kind > 0) partner = Partner{static_cast<Partner::Kind>(kind - 1), number};
  }
};

template <>
struct Layout<Tokens::Object>
    : Array<Tokens::Object, Field<&Tokens::Object::process>, Field<&Tokens::Object::thread>> {};

template <>
struct Layout<Tokens::Count>
    : Array<Tokens::Count, Field<&Tokens::Count::counter>, Field<&Tokens::Count::of, Flattened>,
            Field<&Tokens::Count::partner, PartnerOrAll>, Field<&Tokens::Count::region, OrMinusOne>,
            Field<&Tokens::Count::total>> {};

template <>
struct Layout<Tokens::InFlight>
    : Array<Tokens::InFlight, Field<&Tokens::InFlight::counter>, Field<&Tokens::InFlight::of, Flattened>,
            Field<&Tokens::InFlight::since_ns, TokenTime>> {};

template <>
struct Layout<Tokens::Value>
    : Array<Tokens::Value, Field<&Tokens::Value::sampler>, Field<&Tokens::Value::of, Flattened>,
            Field<&Tokens::Value::step, Flattened>, Field<&Tokens::Value::datum, Flattened>> {};

template <>
struct Layout<Tokens::Reached>
    : Array<Tokens::Reached, Field<&Tokens::Reached::sampler>, Field<&Tokens::Reached::of, Flattened>,
            Field<&Tokens::Reached::step, Flattened>> {};

template <>
struct Layout<Tokens::Collected>
    : Array<Tokens::Collected, Field<&Tokens::Collected::collection>,
            Field<&Tokens::Collected::of, Flattened>, Field<&Tokens::Collected::state, Flattened>> {};

template <>
struct Layout<Tokens::Passed>
    : Array<Tokens::Passed, Field<&Tokens::Passed::sampler>, Field<&Tokens::Passed::repeated>> {};

template <>
struct Layout<Tokens::GivenUp>
    : Array<Tokens::GivenUp, Field<&Tokens::GivenUp::number>, Field<&Tokens::GivenUp::steps>,
            Field<&Tokens::GivenUp::together_with>, Field<&Tokens::GivenUp::unmatched>> {};

template <>
struct Layout<Tokens::Dropped>
    : Array<Tokens::Dropped, Field<&Tokens::Dropped::sampler>, Field<&Tokens::Dropped::values>> {};

template <>
struct Layout<Tokens::LeftOut> : Array<Tokens::LeftOut, Field<&Tokens::LeftOut::counter>,
                                       Field<&Tokens::LeftOut::events>, Field<&Tokens::LeftOut::regions>> {};

template <>
struct Layout<Tokens>
    : Array<Tokens, Constant<Tokens, metrics::token_version>, Field<&Tokens::metric>, Field<&Tokens::server>,
            Field<&Tokens::process, OrMinusOne>, Field<&Tokens::threads, List<Flattened>>,
            Field<&Tokens::counts, List<Flattened>>, Field<&Tokens::in_flight, List<Flattened>>,
            Field<&Tokens::values, List<Flattened>>, Field<&Tokens::reached, List<Flattened>>,
            Field<&Tokens::collected>, Field<&Tokens::passed, List<Flattened>>,
            Field<&Tokens::streams_given_up, List<Flattened>>,
            Field<&Tokens::collections_given_up, List<Flattened>>, Field<&Tokens::dropped, List<Flattened>>,
            Field<&Tokens::left_out, List<Flattened>>> {};

}  // namespace eventspace::wire
