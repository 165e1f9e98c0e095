#include "pathmaps/c_api/events.h"

#include "pathmaps/c_api/calls.h"

using namespace eventspace;         // NOLINT(google-build-using-namespace): the functions are C
using namespace eventspace::c_api;  // NOLINT(google-build-using-namespace)

static_assert(static_cast<int>(EventColumn::Type::natural) == ES_NATURALS);
static_assert(static_cast<int>(EventColumn::Type::integer) == ES_INTEGERS);
static_assert(static_cast<int>(EventColumn::Type::real) == ES_REALS);
static_assert(static_cast<int>(EventColumn::Type::boolean) == ES_BOOLEANS);
static_assert(static_cast<int>(EventColumn::Type::text) == ES_NAMES);

namespace eventspace::c_api {
namespace {

std::string sentence(const Missing& missing) {
  std::string text = missing.what;
  if (!missing.node.empty()) text += " on " + missing.node;
  text += ": " + std::string(to_string(missing.cause));
  if (!missing.detail.empty()) text += ": " + missing.detail;
  return text;
}

const es_column* handle_of(const EventColumn& column) {
  return static_cast<const es_column*>(static_cast<const void*>(&column));
}
const EventColumn& column_of(const es_column* handle) {
  return *static_cast<const EventColumn*>(static_cast<const void*>(handle));
}

/// The column if the handle is one of this type, else null.
const EventColumn* column_if(const es_column* handle, EventColumn::Type type) {
  return handle != nullptr && column_of(handle).type() == type ? &column_of(handle) : nullptr;
}

}  // namespace
}  // namespace eventspace::c_api

es_events::es_events(Events of) : events(std::move(of)), fields(events.fields()) {
  for (const Missing& source : events.missing()) missing.push_back(sentence(source));
}

void es_events_free(es_events* events) { delete events; }
size_t es_events_size(const es_events* events) { return events != nullptr ? events->events.size() : 0; }
bool es_events_have_more(const es_events* events) { return events != nullptr && events->events.has_more(); }

size_t es_events_field_count(const es_events* events) {
  return events != nullptr ? events->fields.size() : 0;
}
const char* es_events_field_name(const es_events* events, size_t index) {
  return index < es_events_field_count(events) ? events->fields[index].c_str() : nullptr;
}

es_status es_events_column(const es_events* events, const char* field, const es_column** column) {
  if (column != nullptr) *column = nullptr;
  return guarded([&] {
    need(column, "column");
    *column = handle_of(need(events, "events").events.column(need_text(field, "field")));
    return ES_OK;
  });
}

es_status es_events_loss(const es_events* events, es_loss* loss) {
  return guarded([&] {
    const Loss& lost = need(events, "events").events.loss();
    const es_loss found{sizeof(es_loss), lost.discarded, lost.torn,   lost.filtered, lost.reduced,
                        lost.repeated,   lost.earlier,   lost.failed, lost.emptied};
    store_structure(found, loss, offsetof(es_loss, emptied) + sizeof(loss->emptied), "loss");
    return ES_OK;
  });
}

size_t es_events_missing_count(const es_events* events) {
  return events != nullptr ? events->missing.size() : 0;
}
const char* es_events_missing(const es_events* events, size_t index) {
  return index < es_events_missing_count(events) ? events->missing[index].c_str() : nullptr;
}

es_column_type es_column_type_of(const es_column* column) {
  return column != nullptr ? static_cast<es_column_type>(column_of(column).type()) : ES_NO_COLUMN;
}
size_t es_column_size(const es_column* column) { return column != nullptr ? column_of(column).size() : 0; }
const uint8_t* es_column_present(const es_column* column) {
  return column != nullptr ? column_of(column).present().data() : nullptr;
}
const uint64_t* es_column_naturals(const es_column* column) {
  const EventColumn* const found = column_if(column, EventColumn::Type::natural);
  return found != nullptr ? found->naturals().data() : nullptr;
}
const int64_t* es_column_integers(const es_column* column) {
  const EventColumn* const found = column_if(column, EventColumn::Type::integer);
  return found != nullptr ? found->integers().data() : nullptr;
}
const double* es_column_reals(const es_column* column) {
  const EventColumn* const found = column_if(column, EventColumn::Type::real);
  return found != nullptr ? found->reals().data() : nullptr;
}
const uint8_t* es_column_booleans(const es_column* column) {
  const EventColumn* const found = column_if(column, EventColumn::Type::boolean);
  return found != nullptr ? found->booleans().data() : nullptr;
}
const uint32_t* es_column_codes(const es_column* column) {
  const EventColumn* const found = column_if(column, EventColumn::Type::text);
  return found != nullptr ? found->codes().data() : nullptr;
}

size_t es_column_name_count(const es_column* column) {
  const EventColumn* const found = column_if(column, EventColumn::Type::text);
  return found != nullptr ? found->names().size() : 0;
}
const char* es_column_name(const es_column* column, uint32_t code) {
  if (code >= es_column_name_count(column)) return nullptr;
  return column_of(column).names()[code].text.c_str();
}
const char* es_column_text(const es_column* column, size_t event) {
  const uint32_t* const codes = event < es_column_size(column) ? es_column_codes(column) : nullptr;
  const char* const name = codes != nullptr ? es_column_name(column, codes[event]) : nullptr;
  return name != nullptr ? name : "";
}
