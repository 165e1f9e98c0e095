#pragma once

#include <pybind11/pybind11.h>

#include <eventspace/packet.h>

namespace eventspace::python {

/// A packet of values: int (i64), float (f64), str (text), list of str (texts), and numpy arrays of one
/// dimension of integers and floats. Throws TypeError, with the place, for another value.
streams::Packet as_packet(const pybind11::tuple& values, std::int32_t tag);

/// The values of a packet: int, float, str, list of str, and numpy arrays, which own their memory. Throws
/// PacketError if the packet is damaged.
pybind11::tuple values_of(const streams::Packet& packet);

}  // namespace eventspace::python
