#include "apps/windtunnel/gas/tunnel.h"

#include <stdexcept>

namespace eventspace::windtunnel {
namespace {

std::vector<Slice> cut(const TunnelConfig& config, std::size_t slices) {
  validate(config);
  std::vector<Slice> parts;
  for (std::size_t i = 0; i < slices; ++i) parts.emplace_back(config, slice_rows(config.rows(), slices, i));
  return parts;
}

void hand_over(const Slice& from, Side side, Slice& to) {
  for (const auto channel : leaving(side)) to.set_halo(opposite(side), channel, from.border(side, channel));
}

}  // namespace

Tunnel::Tunnel(const TunnelConfig& config, std::size_t slices)
    : config_(config), slices_(cut(config, slices)) {
  if (slices == 0) throw std::invalid_argument("wind tunnel: 0 slices; it needs at least one");
}

Throughput Tunnel::step() {
  for (auto& slice : slices_) slice.collide(steps_);
  exchange();
  Throughput flow;
  for (auto& slice : slices_) flow += slice.propagate(steps_);
  ++steps_;
  return flow;
}

void Tunnel::exchange() {
  const auto count = slices_.size();
  for (std::size_t i = 0; i < count; ++i) {
    hand_over(slices_[i], Side::north, slices_[(i + count - 1) % count]);
    hand_over(slices_[i], Side::south, slices_[(i + 1) % count]);
  }
}

bool Tunnel::place(Channel channel, std::size_t row, std::size_t column) {
  for (auto& slice : slices_)
    if (row < slice.rows().last) return slice.place(channel, row, column);
  throw std::out_of_range("wind tunnel: no such row");
}

Totals Tunnel::totals() const {
  Totals sum;
  for (const auto& slice : slices_) sum += slice.totals();
  return sum;
}

std::uint64_t Tunnel::checksum() const {
  std::uint64_t sum = 0;
  for (const auto& slice : slices_) sum += slice.checksum();
  return sum;
}

Field Tunnel::sample(std::size_t cell) const {
  Field whole(config_, cell);
  for (const auto& slice : slices_) whole += windtunnel::sample(slice, cell);
  return whole;
}

}  // namespace eventspace::windtunnel
