#pragma once

// Also used by scopes/. The fields of the messages of switch_target.h.

#include <algorithm>
#include <vector>

#include "collectors/switching/switch_order.h"
#include "paths/parameters/glob.h"
#include "paths/wire/fields.h"

namespace eventspace::wire {

template <>
struct Layout<EventClasses>
    : Array<EventClasses, Field<&EventClasses::kind>, Field<&EventClasses::event_class>> {
  static void check(const EventClasses& events) {
    if (events.event_class == EventClasses::all_classes) return;
    const bool has_kind = events.kind != EventClasses::all_kinds;  // a class needs a kind
    if (!has_kind || events.event_class >= CollectSwitch::classes) throw BodyError();
  }
};

template <>
struct Layout<CollectState::Exception>
    : Array<CollectState::Exception, Field<&CollectState::Exception::of, Flattened>,
            Field<&CollectState::Exception::period>> {};

template <>
struct Layout<CollectState>
    : Array<CollectState, Field<&CollectState::by_program>, Field<&CollectState::period>,
            Field<&CollectState::has_more>,
            Field<&CollectState::exceptions, List<Flattened, CollectState::max_exceptions>>> {};

template <>
struct Layout<SwitchedProcess>
    : Array<SwitchedProcess, Field<&SwitchedProcess::node, PlainText>,
            Field<&SwitchedProcess::process, PlainText>, Field<&SwitchedProcess::pid>,
            Field<&SwitchedProcess::state>, Field<&SwitchedProcess::refusal, PlainText>> {};

/// The events of an order: every process applies each entry, so an entry may not repeat, and "all" must be
/// the only one.
struct SwitchedEvents : List<Flattened, SwitchOrder::max_events> {
  template <class Source>
  static void read(Source& source, std::vector<EventClasses>& events) {
    List::read(source, events);
    if (events.empty() || !are_distinct(events)) throw BodyError();
  }

 private:
  static bool are_distinct(std::vector<EventClasses> events) {
    const auto key = [](const EventClasses& of) { return of.kind << 8 | of.event_class; };
    std::ranges::sort(events, {}, key);
    const bool has_all = events.front().kind == EventClasses::all_kinds;
    return std::ranges::adjacent_find(events, {}, key) == events.end() && (!has_all || events.size() == 1);
  }
};

template <>
struct Layout<SwitchOrder>
    : Array<SwitchOrder, Field<&SwitchOrder::processes>, Field<&SwitchOrder::period, FlagAndInteger>,
            Field<&SwitchOrder::events, SwitchedEvents>> {
  static void check(const SwitchOrder& order) {
    if (!glob_fault(order.processes).empty()) throw BodyError();
  }
};

}  // namespace eventspace::wire
