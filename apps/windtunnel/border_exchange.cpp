#include "apps/windtunnel/border_exchange.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "apps/windtunnel/failure.h"

namespace eventspace::windtunnel {
namespace {

static_assert(std::endian::native == std::endian::little, "rows are sent as they lie in memory");

constexpr std::array<std::string_view, kChannels> kChannelNames = {"n", "ne", "se", "s", "sw", "nw", "rest"};

std::string path_name(std::string_view verb, Side side, Channel channel) {
  return fmt::format("{}/{}/{}", verb, side == Side::north ? "north" : "south",
                     kChannelNames[index_of(channel)]);
}

Tuple take(const std::string& thread, Path& path) {
  auto received = path.take();
  if (!received) throw OperationError(thread, path.name(), received.status, received.reason);
  return std::move(received.tuple);
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

void BorderExchange::send(std::uint64_t step, const Slice& slice) {
  for (const auto& lane : sending_) {
    const auto row = std::as_bytes(slice.border(lane.side, lane.channel));
    const auto status = lane.path->write(Tuple::of({static_cast<std::int64_t>(step), Bytes(row)}));
    if (status != Status::ok) throw OperationError(thread_, lane.path->name(), status, {});
  }
}

void BorderExchange::receive(std::uint64_t step, Slice& slice) {
  for (const auto& lane : receiving_) {
    const auto tuple = take(thread_, *lane.path);
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

void BorderExchange::wait_in_vain() {
  while (true) take(thread_, *receiving_.front().path);
}

}  // namespace eventspace::windtunnel
