#include "apps/windtunnel/exchange/border_exchange.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "apps/windtunnel/exchange/failure.h"
#include "apps/windtunnel/exchange/operations.h"

namespace eventspace::windtunnel {
namespace {

static_assert(std::endian::native == std::endian::little, "rows are sent in their memory layout");

constexpr std::array<std::string_view, kChannels> kChannelNames = {"n", "ne", "se", "s", "sw", "nw", "rest"};

std::string path_name(std::string_view verb, Side side, Channel channel) {
  return fmt::format("{}/{}/{}", verb, side == Side::north ? "north" : "south",
                     kChannelNames[index_of(channel)]);
}

constexpr std::int64_t kNoStep = -1;
constexpr std::int64_t kFarewell = -2;

Tuple take_row(const std::string& thread, Path& path) {
  auto tuple = take(thread, path);
  if (tuple.get<std::int64_t>(0) == kFarewell)
    throw OperationError(thread, path.name(), Status::closed, "the neighbour ended early");
  return tuple;
}

void check_token(const std::string& thread, const Path& path, const Tuple& tuple) {
  const auto step = tuple.get<std::int64_t>(0);
  if (step == kNoStep) return;
  throw std::logic_error(fmt::format("thread {}, path {}: received a row of step {} before the first step",
                                     thread, path.name(), step));
}

}  // namespace

BorderExchange::BorderExchange(SessionThread& thread, const TunnelConfig& config)
    : thread_(thread.name()), sending_{}, receiving_{}, row_(config.words()) {
  std::size_t lane = 0;
  for (const auto side : kSides)
    for (std::size_t i = 0; i < 3; ++i, ++lane) {
      const auto out = leaving(side)[i];
      const auto in = entering(side)[i];
      sending_[lane] = {side, out, &thread.path(path_name("send", side, out))};
      receiving_[lane] = {side, in, &thread.path(path_name("receive", side, in))};
    }
}

void BorderExchange::line_up(bool is_first) {
  const auto token = Tuple::of({kNoStep, Bytes()});
  for (int lap = 0; lap < 2; ++lap) {
    // The first worker sends before it takes, the others take first, so that the token makes a full lap.
    if (is_first) write(thread_, southwards(), token);
    check_token(thread_, from_the_north(), take_row(thread_, from_the_north()));
    if (!is_first) write(thread_, southwards(), token);
  }
}

void BorderExchange::send(std::uint64_t step, const Slice& slice) {
  for (const auto& lane : sending_) {
    const auto row = std::as_bytes(slice.border(lane.side, lane.channel));
    write(thread_, *lane.path, Tuple::of({static_cast<std::int64_t>(step), Bytes(row)}));
  }
}

void BorderExchange::receive(std::uint64_t step, Slice& slice) {
  for (const auto& lane : receiving_) {
    const auto tuple = take_row(thread_, *lane.path);
    check(step, lane, tuple);
    std::memcpy(row_.data(), tuple.get<Bytes>(1).data(), row_.size() * sizeof(row_[0]));
    slice.set_halo(lane.side, lane.channel, row_);
  }
}

void BorderExchange::check(std::uint64_t step, const Lane& lane, const Tuple& tuple) const {
  const auto found = static_cast<std::uint64_t>(tuple.get<std::int64_t>(0));
  if (found != step)
    throw std::logic_error(fmt::format("thread {}, path {}: received a row of step {} in step {}", thread_,
                                       lane.path->name(), found, step));
  const auto bytes = tuple.get<Bytes>(1).size();
  const auto expected = row_.size() * sizeof(row_[0]);
  if (bytes != expected)
    throw ConfigurationError(fmt::format(
        "thread {}, path {}: received a row of {} bytes, expected {}; start all processes with the "
        "same --size or --n",
        thread_, lane.path->name(), bytes, expected));
}

void BorderExchange::say_farewell() {
  const auto farewell = Tuple::of({kFarewell, Bytes()});
  // Failures are ignored: the neighbour may also have ended.
  for (const auto& lane : sending_) static_cast<void>(lane.path->write(farewell));
}

void BorderExchange::wait_in_vain() {
  while (true) take_row(thread_, *receiving_.front().path);
}

}  // namespace eventspace::windtunnel
