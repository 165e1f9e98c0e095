#include "paths/bodies/element_reports.h"

#include <eventspace/error.h>
#include "tuplespace/shared/element_peek.h"
#include "tuplespace/system/session_files.h"

namespace eventspace {
namespace {

// The number of the tuple that a read would yield now; 0 if there is none. Does not change the element.
std::uint64_t number_at(Element& element, From from) {
  Operation read;
  read.verb = Verb::read;
  read.from = from;
  element.attempt(read);
  return read.status == Status::ok ? read.sequence : 0;
}

void set_counts(ElementState& state, const ElementConfig& config, const Element::Counts& counts) {
  state.name = config.name;
  state.waits = config.when_full == WhenFull::wait;
  state.capacity = config.threshold;
  state.kept = counts.kept;
  state.written = counts.written;
  state.taken = counts.taken;
  state.discarded = counts.discarded;
  state.dropped = counts.dropped;
  state.refused = counts.refused;
}

ElementState state_of(Element& element) {
  ElementState state;
  state.type = element.signature().to_string();
  set_counts(state, element.config(), element.counts());
  state.oldest = number_at(element, From::oldest);
  state.newest = number_at(element, From::newest);
  return state;
}

ElementState state_of(const PeekedElement& element) {
  ElementState state;
  state.place = ElementPlace::shared;
  state.type = element.config.signature.to_string();
  state.process = element.process;
  set_counts(state, element.config, element.counts);
  state.is_known = element.is_known;
  state.oldest = element.oldest;
  state.newest = element.newest;
  state.room = element.room;
  state.bytes = element.kept_bytes;
  return state;
}

}  // namespace

std::vector<ElementState> states_of(const ElementSpace& elements) {
  std::vector<ElementState> states;
  for (const std::string& name : elements.names())
    if (Element* const element = elements.find(name)) states.push_back(state_of(*element));
  return states;
}

std::vector<ElementState> states_of_shared(std::string_view session, std::string_view node) {
  std::vector<ElementState> states;
  for (const auto& file : find_element_files(session, node)) {
    try {
      for (const PeekedElement& element : peek_elements(file)) states.push_back(state_of(element));
    } catch (const Error&) {  // of a process that has just ended; `eventspace segments` shows refused files
    }
  }
  return states;
}

}  // namespace eventspace
