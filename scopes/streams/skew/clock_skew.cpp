#include <eventspace/stream_network.h>

#include <algorithm>
#include <optional>
#include <utility>

#include <eventspace/streams.h>
#include "scopes/streams/filters/clock_skew_filter.h"

namespace eventspace::streams {
namespace {

using std::chrono::nanoseconds;

Packet question(skew::Phase phase) {
  return skew::Question::make(0, skew::name, static_cast<std::uint8_t>(phase));
}

/// The phase that a packet requests; nullopt for another packet.
std::optional<skew::Phase> phase_of(const Packet& packet) {
  try {
    const PacketView view(packet);
    if (!skew::Question::matches(view) || view.text(0) != skew::name) return std::nullopt;
    const auto phase = view.number<std::uint8_t>(1);
    if (phase < static_cast<std::uint8_t>(skew::Phase::local) ||
        phase > static_cast<std::uint8_t>(skew::Phase::direct))
      return std::nullopt;
    return static_cast<skew::Phase>(phase);
  } catch (const PacketError&) {
    return std::nullopt;  // left to the user
  }
}

/// A stream that is closed by the destructor.
class Asking {
 public:
  Asking(FrontEnd& front_end, const StreamOptions& options)
      : front_end_(&front_end), stream_(front_end.open(options)) {}
  ~Asking() { front_end_->close(stream_); }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

  std::optional<Packet> ask(const Packet& packet, Deadline deadline) {
    if (!front_end_->send(stream_, packet, deadline)) return std::nullopt;
    return receive(deadline);
  }
  std::optional<Packet> receive(Deadline deadline) { return front_end_->receive(stream_, deadline); }

 private:
  FrontEnd* front_end_;
  std::uint32_t stream_;
};

ClockSkews read_sums(const Packet& packet) {
  const skew::Sums::Read read(packet);
  const auto [ranks, ahead, bounds] = read.values();
  ClockSkews skews;
  for (std::size_t i = 0; i < std::min({ranks.size(), ahead.size(), bounds.size()}); ++i)
    skews[ranks[i]] = {nanoseconds(ahead[i]), nanoseconds(bounds[i])};
  return skews;
}

std::int64_t read(const ClockReading& clock) { return clock ? clock() : skew::time_of_day(); }

/// Asks one back-end once, and returns the difference of the clocks.
std::optional<ClockSkew> ask_directly(Asking& stream, RankSet::Rank rank, const ClockReading& clock,
                                      Deadline deadline) {
  Packet packet = question(skew::Phase::direct);
  packet.ranks = RankSet::of_range(rank, rank);
  const std::int64_t sent = read(clock);
  for (auto answer = stream.ask(packet, deadline); answer; answer = stream.receive(deadline)) {
    const std::int64_t came = read(clock);
    const skew::Reading::Read reading(*answer);
    const auto [from, its_clock] = reading.values();
    if (from != rank) continue;  // a late answer of another back-end
    const std::int64_t one_way = (came - sent) / 2;
    return ClockSkew{nanoseconds(its_clock + one_way - came), nanoseconds(one_way + 1)};
  }
  return std::nullopt;
}

}  // namespace

ClockSkews measure_clock_skew(FrontEnd& front_end, const ClockSkewOptions& options, Deadline deadline) {
  const FilterUse filter{.name = options.filter};
  Asking stream(front_end, {.members = options.members,
                            .synchronise = Synchronise::time_out,
                            .time_out = options.time_out,
                            .up = {filter},
                            .down = {filter}});
  for (std::uint32_t round = 0; round < options.rounds; ++round) {
    if (!stream.ask(question(skew::Phase::local), deadline)) return {};
  }
  const auto sums = stream.ask(question(skew::Phase::sum), deadline);
  return sums ? read_sums(*sums) : ClockSkews();
}

ClockSkews measure_clock_skew_directly(FrontEnd& front_end, const ClockSkewOptions& options,
                                       Deadline deadline, const ClockReading& clock) {
  Asking stream(front_end, {.members = options.members, .synchronise = Synchronise::do_not_wait});
  const RankSet members = options.members.empty() ? front_end.ranks() : options.members;
  ClockSkews skews;
  for (const RankSet::Rank rank : members.ranks()) {
    for (std::uint32_t round = 0; round < options.rounds && !deadline.passed(); ++round) {
      const auto now =
          ask_directly(stream, rank, clock, earlier(deadline, Deadline::after(options.time_out)));
      if (!now) break;
      const auto [kept, is_new] = skews.emplace(rank, *now);
      if (std::chrono::abs(now->ahead) < std::chrono::abs(kept->second.ahead)) kept->second = *now;
    }
  }
  return skews;
}

bool answer_clock_skew(BackEnd& back_end, const Received& received, const ClockReading& clock) {
  const auto phase = phase_of(received.packet);
  if (!phase) return false;
  const std::int32_t tag = received.packet.tag;
  const std::int64_t got = read(clock);
  const std::uint32_t rank = back_end.rank();
  const std::int64_t zero = 0;
  const Packet answer =
      *phase == skew::Phase::local ? skew::Times::make(tag, got, read(clock))
      : *phase == skew::Phase::direct
          ? skew::Reading::make(tag, rank, got)
          : skew::Sums::make(tag, std::span(&rank, 1), std::span(&zero, 1), std::span(&zero, 1));
  (void)back_end.answer(received, answer, Deadline::never());
  return true;
}

FilterInfo clock_skew_filter(std::string name, std::function<std::int64_t(std::uint32_t process)> clock) {
  return skew::filter(std::move(name), [clock = std::move(clock)](const FilterPlace& place) {
    return clock(place.process.value_or(0));
  });
}

}  // namespace eventspace::streams
