#pragma once

// The results that the process which works on others passes to its parent.

#include <cstdint>
#include <set>

#include "monitors/probing/probes/process_probes.h"
#include "paths/wire/fields.h"

namespace eventspace::wire {

/// The parent knows the place and the lets of each probe from its plan.
template <>
struct Layout<PlacedProbe>
    : Array<PlacedProbe, Field<&PlacedProbe::counters>, Field<&PlacedProbe::measures>,
            Field<&PlacedProbe::refusal>, Unsent<&PlacedProbe::place>, Unsent<&PlacedProbe::has_lets_only>> {
};

/// A set of numbers as an array.
struct NumberSet : UnboundedEntry {
  static constexpr std::string_view name = "array of numbers";

  template <class Sink>
  static void write(Sink sink, const std::set<std::uint64_t>& numbers) {
    List<Integer>::write(sink, numbers);
  }
  template <class Source>
  static void read(Source& source, std::set<std::uint64_t>& numbers) {
    std::vector<std::uint64_t> list;
    List<Integer>::read(source, list);
    numbers = {list.begin(), list.end()};
  }
};

/// The memory that is kept is passed as descriptors.
template <>
struct Layout<Placement>
    : Array<Placement, Field<&Placement::probes>, Field<&Placement::variables>, Field<&Placement::rings>,
            Field<&Placement::areas, NumberSet>, Unsent<&Placement::kept>, Field<&Placement::longest_stop>> {
};

template <>
struct Layout<Removal>
    : Array<Removal, Field<&Removal::removed>, Field<&Removal::foreign>, Field<&Removal::processes>,
            Field<&Removal::is_whole>, Field<&Removal::longest_stop>> {};

template <>
struct Layout<SwitchedProbes>
    : Array<SwitchedProbes, Field<&SwitchedProbes::probes>, Field<&SwitchedProbes::changed>,
            Field<&SwitchedProbes::foreign>, Field<&SwitchedProbes::waiting>,
            Field<&SwitchedProbes::processes>, Field<&SwitchedProbes::longest_stop>> {};

template <class Done>
struct Layout<InProcess<Done>>
    : Array<InProcess<Done>, Field<&InProcess<Done>::done>, Field<&InProcess<Done>::refusal>> {};

}  // namespace eventspace::wire
