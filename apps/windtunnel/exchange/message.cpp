#include "apps/windtunnel/exchange/message.h"

#include <algorithm>
#include <stdexcept>

#include "apps/windtunnel/exchange/packing.h"

namespace eventspace::windtunnel {
namespace {

void pack(Packer& out, const Hello& hello) {
  const auto& [tunnel, steps, frame_every, reduce_every, barrier_every] = hello.settings;
  for (const auto number :
       {std::uint64_t{tunnel.n}, std::uint64_t{static_cast<std::uint8_t>(tunnel.obstacle)}, tunnel.seed,
        steps, frame_every, reduce_every, barrier_every})
    out.add(number);
}

Hello unpack_hello(Unpacker& in) {
  Hello hello;
  auto& [tunnel, steps, frame_every, reduce_every, barrier_every] = hello.settings;
  tunnel.n = in.next();
  tunnel.obstacle = static_cast<Obstacle>(in.next());
  tunnel.seed = in.next();
  steps = in.next();
  frame_every = in.next();
  reduce_every = in.next();
  barrier_every = in.next();
  return hello;
}

void pack(Packer& out, const FramePart& part) {
  out.add(part.field.cell_size());
  out.add(part.field.rows().first);
  out.add(part.field.rows().last);
  for (const auto& cell : part.field.cells())
    for (const auto number : {cell.mass, cell.momentum_x, cell.momentum_y, cell.open, cell.sites})
      out.add_signed(number);
}

RowRange unpack_rows(Unpacker& in, std::size_t cell, std::size_t rows) {
  const auto first = in.next();
  const auto last = in.next();
  // Checked before a Field of this size is allocated.
  if (cell == 0 || first >= last || last > rows) throw std::invalid_argument("invalid rows of cells");
  return {first * cell, std::min(last * cell, rows)};
}

FramePart unpack_frame_part(Unpacker& in, const TunnelConfig& config) {
  const auto cell_size = in.next();
  FramePart part{Field(config, cell_size, unpack_rows(in, cell_size, config.rows()))};
  for (auto& cell : part.field.cells())
    for (auto* const number : {&cell.mass, &cell.momentum_x, &cell.momentum_y, &cell.open, &cell.sites})
      *number = in.next_signed();
  return part;
}

void pack(Packer& out, const SliceResult& result) {
  for (const auto& totals : {result.before, result.after})
    for (const auto number : {totals.mass, totals.momentum_x, totals.momentum_y}) out.add_signed(number);
  out.add_signed(result.flow.injected);
  out.add_signed(result.flow.left);
  out.add(result.checksum);
}

SliceResult unpack_slice_result(Unpacker& in) {
  SliceResult result;
  for (auto* const totals : {&result.before, &result.after})
    for (auto* const number : {&totals->mass, &totals->momentum_x, &totals->momentum_y})
      *number = in.next_signed();
  result.flow.injected = in.next_signed();
  result.flow.left = in.next_signed();
  result.checksum = in.next();
  return result;
}

void pack(Packer& out, const ProcessReport& report) {
  for (const auto number : {report.process, report.nanoseconds, report.recorded, report.discarded})
    out.add(number);
}

ProcessReport unpack_process_report(Unpacker& in) {
  ProcessReport report;
  for (auto* const number : {&report.process, &report.nanoseconds, &report.recorded, &report.discarded})
    *number = in.next();
  return report;
}

Message unpack(Unpacker& in, const TunnelConfig& config) {
  switch (in.next()) {
    case 0:
      return unpack_hello(in);
    case 1:
      return unpack_frame_part(in, config);
    case 2:
      return unpack_slice_result(in);
    case 3:
      return unpack_process_report(in);
    default:
      throw std::invalid_argument("unknown kind of message");
  }
}

}  // namespace

Tuple to_tuple(const Sender& sender, const Message& message) {
  Packer out;
  out.add(message.index());
  std::visit([&out](const auto& content) { pack(out, content); }, message);
  return Tuple::of({static_cast<std::int64_t>(sender.thread), static_cast<std::int64_t>(sender.steps_done),
                    Bytes(out.bytes())});
}

Sender sender_of(const Tuple& tuple) {
  return {static_cast<std::size_t>(tuple.get<std::int64_t>(0)),
          static_cast<std::uint64_t>(tuple.get<std::int64_t>(1))};
}

Message message_of(const Tuple& tuple, const TunnelConfig& config) {
  Unpacker in(tuple.get<Bytes>(2));
  auto message = unpack(in, config);
  if (!in.is_at_end()) throw std::invalid_argument("a message has too many numbers");
  return message;
}

}  // namespace eventspace::windtunnel
