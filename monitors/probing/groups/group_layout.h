#pragma once

// The fields of an order to a group of processes, and of its answer.

#include <cmath>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "collectors/switching/switch_layout.h"
#include "monitors/probing/groups/group_answer.h"
#include "monitors/probing/groups/group_order.h"
#include "paths/wire/alternatives.h"
#include "paths/wire/fields.h"

namespace eventspace::wire {

using ProcessId = Between<std::int32_t{1}, greatest<std::int32_t>>;
/// A duration that can be added to others.
using Stop = Between<std::int64_t{0}, std::int64_t{1} << 62>;

template <>
struct Layout<ProcessChoice>
    : Array<ProcessChoice, Field<&ProcessChoice::pids, List<ProcessId>>, Field<&ProcessChoice::names>,
            Field<&ProcessChoice::jobs>, Field<&ProcessChoice::recorded>,
            Field<&ProcessChoice::communicators>, Field<&ProcessChoice::groups>,
            Field<&ProcessChoice::within>, Field<&ProcessChoice::without>, Field<&ProcessChoice::where>> {};

/// Groups by name, as an array: name and choice of each.
struct GroupsByName : UnboundedEntry {
  static constexpr std::string_view name = "name and choice of each group";

  template <class Sink>
  static void write(Sink sink, const ProcessGroups& groups) {
    sink.array(2 * groups.size());
    for (const auto& [name_of_group, choice] : groups) {
      sink.text(name_of_group);
      Structure::write(sink, choice);
    }
  }
  template <class Source>
  static void read(Source& source, ProcessGroups& groups) {
    groups.clear();
    for (auto list = source.list(); list.more();) {
      if (groups.size() == max_parts) throw BodyError();
      ProcessChoice& choice = groups[std::string(list.text())];
      Structure::read(list, choice);
    }
  }
};

template <>
struct Layout<ProbeTask>
    : Array<ProbeTask, Field<&ProbeTask::has_times>, Field<&ProbeTask::when>, Field<&ProbeTask::every>,
            Field<&ProbeTask::values>, Field<&ProbeTask::phase, OrMinusOne>, Field<&ProbeTask::lets>> {};

template <>
struct Layout<FunctionPatterns>
    : Array<FunctionPatterns,
            Field<&FunctionPatterns::patterns, List<Text<>, FunctionPatterns::max_patterns>>,
            Field<&FunctionPatterns::modules>, Field<&FunctionPatterns::callers>> {};

template <>
struct Layout<ListProcesses> : Array<ListProcesses> {};
template <>
struct Layout<PlaceProbes> : Array<PlaceProbes, Field<&PlaceProbes::functions>, Field<&PlaceProbes::task>,
                                   Field<&PlaceProbes::has_histogram>> {};
template <>
struct Layout<RecordCalls> : Array<RecordCalls, Field<&RecordCalls::functions>, Field<&RecordCalls::task>,
                                   Field<&RecordCalls::session>> {};
template <>
struct Layout<ReadProbes> : Array<ReadProbes> {};
template <>
struct Layout<RemoveProbes> : Array<RemoveProbes> {};
template <>
struct Layout<RemoveAllProbes> : Array<RemoveAllProbes> {};
template <>
struct Layout<SwitchProbes> : Array<SwitchProbes, Field<&SwitchProbes::functions>,
                                    Field<&SwitchProbes::to, OneOf<ProbeState::on, ProbeState::removed>>> {};
template <>
struct Layout<StopProcesses> : Array<StopProcesses> {};
template <>
struct Layout<ContinueProcesses> : Array<ContinueProcesses> {};
template <>
struct Layout<SwitchRecording> : Array<SwitchRecording, Field<&SwitchRecording::period>,
                                       Field<&SwitchRecording::events, SwitchedEvents>> {};
template <>
struct Layout<ListCallees>
    : Array<ListCallees, Field<&ListCallees::callers, List<Text<>, FunctionPatterns::max_patterns>>,
            Field<&ListCallees::modules>> {};
template <>
struct Layout<ReadVariables>
    : Array<ReadVariables, Field<&ReadVariables::variables, List<Text<>, FunctionPatterns::max_patterns>>> {};

template <>
struct Layout<GroupOrder> : Array<GroupOrder, Field<&GroupOrder::choice>,
                                  Field<&GroupOrder::groups, GroupsByName>, Field<&GroupOrder::command>> {};

/// A number of processes: an integer, or a real that is not NaN.
struct IntegerOrReal : OneEntry {
  static constexpr std::string_view name = "integer or real";
  template <class T>
  static constexpr SizeBounds bounds{1, 9};

  template <class Sink>
  static void write(Sink sink, const NumberSpread::Number& number) {
    if (const auto* const integer = std::get_if<std::int64_t>(&number)) return sink.integer(*integer);
    sink.real(std::get<double>(number));
  }
  template <class Source>
  static void read(Source& source, NumberSpread::Number& number) {
    if (source.type() != Entries::Type::real) {
      number = source.template integer<std::int64_t>();
      return;
    }
    const double real = source.real();
    if (std::isnan(real)) throw BodyError();
    number = real;
  }
};

template <>
struct Layout<NumberSpread> : Array<NumberSpread, Field<&NumberSpread::count>, Field<&NumberSpread::missing>,
                                    Field<&NumberSpread::sum>, Field<&NumberSpread::least, IntegerOrReal>,
                                    Field<&NumberSpread::greatest, IntegerOrReal>,
                                    Field<&NumberSpread::least_at>, Field<&NumberSpread::greatest_at>> {};

template <>
struct Layout<Spread>
    : Array<Spread, Field<&Spread::count>, Field<&Spread::sum>, Field<&Spread::least>,
            Field<&Spread::greatest>, Field<&Spread::least_at>, Field<&Spread::greatest_at>> {};

/// The ranges of durations that have calls, as an array: range and number of calls of each.
struct SparseHistogram : OneEntry {
  static constexpr std::string_view name = "range and count of each";
  template <class T>
  static constexpr SizeBounds bounds{1, largest_entry_header + 11 * measuring::histogram_buckets};

  template <class Sink>
  static void write(Sink sink, const std::vector<std::uint64_t>& histogram) {
    sink.array(2 * (histogram.size() - static_cast<std::size_t>(std::ranges::count(histogram, 0U))));
    for (std::size_t range = 0; range < histogram.size(); ++range) {
      if (histogram[range] == 0) continue;
      sink.integer(static_cast<std::uint16_t>(range));
      sink.integer(histogram[range]);
    }
  }
  template <class Source>
  static void read(Source& source, std::vector<std::uint64_t>& histogram) {
    constexpr auto last = static_cast<std::uint16_t>(measuring::histogram_buckets - 1);
    histogram.clear();
    for (auto list = source.list(); list.more();) {
      histogram.resize(measuring::histogram_buckets);
      std::uint64_t& count = histogram[list.template integer<std::uint16_t>(0, last)];
      count = saturated_sum(count, list.template integer<std::uint64_t>());
    }
  }
};

template <>
struct Layout<FunctionSpread>
    : Array<FunctionSpread, Field<&FunctionSpread::module>, Field<&FunctionSpread::function>,
            Field<&FunctionSpread::calls>, Field<&FunctionSpread::total_ns>, Field<&FunctionSpread::own_ns>,
            Field<&FunctionSpread::left_out>,
            Field<&FunctionSpread::values, List<Structure, measuring::max_values>>,
            Field<&FunctionSpread::histogram, SparseHistogram>> {};

template <>
struct Layout<VariableSpread>
    : Array<VariableSpread, Field<&VariableSpread::name>, Field<&VariableSpread::numbers>> {};

template <>
struct Layout<GroupMember>
    : Array<GroupMember, Field<&GroupMember::host>, Field<&GroupMember::pid>, Field<&GroupMember::name>,
            Field<&GroupMember::rank>, Field<&GroupMember::job>, Field<&GroupMember::session>,
            Field<&GroupMember::threads>> {};

template <>
struct Layout<VariableReading> : Array<VariableReading, Field<&VariableReading::process>,
                                       Field<&VariableReading::variable>, Field<&VariableReading::value>> {};

template <>
struct Layout<GroupedRefusals::Processes>
    : Array<GroupedRefusals::Processes, Field<&GroupedRefusals::Processes::count>,
            Field<&GroupedRefusals::Processes::named>> {};

/// Refusals as an array: the reason, and the processes, of each.
struct RefusalsByReason : UnboundedEntry {
  static constexpr std::string_view name = "reason and processes of each refusal";

  template <class Sink>
  static void write(Sink sink, const GroupedRefusals& refusals) {
    sink.array(2 * refusals.by_reason().size());
    for (const auto& [reason, processes] : refusals.by_reason()) {
      sink.text(reason);
      Structure::write(sink, processes);
    }
  }
  template <class Source>
  static void read(Source& source, GroupedRefusals& refusals) {
    refusals = {};
    for (auto list = source.list(); list.more();) {
      const std::string reason(list.text());
      GroupedRefusals::Processes processes;
      Structure::read(list, processes);
      refusals.add(reason, processes);
    }
  }
};

template <>
struct Layout<GroupAnswer>
    : Array<GroupAnswer, Field<&GroupAnswer::processes>, Field<&GroupAnswer::done>,
            Field<&GroupAnswer::probes>, Field<&GroupAnswer::failed>,
            Field<&GroupAnswer::refusals, RefusalsByReason>, Field<&GroupAnswer::longest_stop, Stop>,
            Field<&GroupAnswer::call_cost, Stop>,
            Field<&GroupAnswer::functions, List<Structure, GroupAnswer::max_functions>>,
            Field<&GroupAnswer::variables, List<Structure, GroupAnswer::max_variables>>,
            Field<&GroupAnswer::members, List<Structure, GroupAnswer::max_members>>,
            Field<&GroupAnswer::readings, List<Structure, GroupAnswer::max_readings>>,
            Field<&GroupAnswer::left_out>, Unsent<&GroupAnswer::silent>> {};

}  // namespace eventspace::wire
