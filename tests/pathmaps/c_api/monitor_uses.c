#include <math.h>

#include "check.h"
#include "uses.h"

/* That the events are the writes of 1 to 3 to `progress` by thread a, in every form of column. */
static const char* check_writes(const es_events* events) {
  CHECK(es_events_size(events) == 3 && !es_events_have_more(events));
  const es_column* column = NULL;
  CHECK(es_events_column(events, "verb", &column) == ES_OK);
  CHECK(es_column_type_of(column) == ES_NAMES && es_column_size(column) == 3);
  CHECK(es_column_name_count(column) == 1 && es_column_name(column, 1) == NULL);
  CHECK(es_column_codes(column)[2] == 0 && strcmp(es_column_name(column, 0), "write") == 0);
  CHECK(strcmp(es_column_text(column, 2), "write") == 0 && strcmp(es_column_text(column, 3), "") == 0);
  CHECK(es_column_naturals(column) == NULL && es_column_reals(column) == NULL);

  CHECK(es_events_column(events, "sequence", &column) == ES_OK && es_column_type_of(column) == ES_NATURALS);
  CHECK(es_column_naturals(column)[0] == 1 && es_column_naturals(column)[2] == 3);
  CHECK(es_column_present(column)[2] == 1 && strcmp(es_column_text(column, 0), "") == 0);
  CHECK(es_events_column(events, "start_ns", &column) == ES_OK && es_column_type_of(column) == ES_INTEGERS);
  CHECK(es_column_integers(column)[0] <= es_column_integers(column)[2]);
  CHECK(es_events_column(events, "duration", &column) == ES_OK && es_column_type_of(column) == ES_REALS);
  CHECK(es_column_reals(column)[0] > 0);
  CHECK(es_events_column(events, "in_flight", &column) == ES_OK && es_column_type_of(column) == ES_BOOLEANS);
  CHECK(es_column_booleans(column)[0] == 0);
  CHECK_FAILS(es_events_column(events, "sequense", &column), ES_CONFIGURATION, "sequence");
  CHECK(column == NULL);

  CHECK(strcmp(es_events_field_name(events, 0), "start_ns") == 0);
  CHECK(es_events_field_name(events, es_events_field_count(events)) == NULL);
  es_loss loss = ES_NO_LOSS;
  loss.emptied = 9;
  CHECK(es_events_loss(events, &loss) == ES_OK && loss.discarded == 0 && loss.emptied == 0);
  loss.size -= 1;
  CHECK_FAILS(es_events_loss(events, &loss), ES_MISUSE, "loss->size is");
  CHECK(es_events_missing_count(events) == 0 && es_events_missing(events, 0) == NULL);
  return NULL;
}

const char* use_scope(const char* pathmap) {
  es_monitor* monitor = NULL;
  es_scope* scope = NULL;
  es_events* events = NULL;
  es_events* more = NULL;
  CHECK(es_monitor_of_pathmap(pathmap, NULL, &monitor) == ES_OK);
  CHECK(strcmp(es_monitor_session(monitor), "c_api") == 0);
  CHECK(es_monitor_scope_count(monitor) == 1 && strcmp(es_monitor_scope_name(monitor, 0), "events") == 0);
  CHECK_FAILS(es_monitor_open(monitor, "event", &scope), ES_CONFIGURATION, "events");
  CHECK(es_monitor_open(monitor, "events", &scope) == ES_OK);
  es_monitor_free(monitor); /* its scopes may outlive it */
  CHECK(es_scope_pull(scope, ES_USUAL, &events) == ES_OK);
  CHECK(es_scope_pull(scope, 1000000000, &more) == ES_OK && es_events_size(more) == 0);
  es_events_free(more);
  CHECK_FAILS(es_scope_pull_at(scope, 0, &more), ES_CONFIGURATION, "record");
  es_scope_free(scope);
  const char* const wrong = check_writes(events); /* they outlive both */
  es_events_free(events);
  return wrong;
}

const char* use_query(const char* pathmap) {
  es_monitor* monitor = NULL;
  es_scope* scope = NULL;
  es_events* events = NULL;
  es_query query = ES_QUERY_OF_ALL;
  CHECK(es_monitor_of_pathmap(pathmap, NULL, &monitor) == ES_OK);
  query.where = "sequence > 1";
  query.threads = "a";
  query.last = 1;
  CHECK(es_monitor_events(monitor, &query, ES_USUAL, &events) == ES_OK && es_events_size(events) == 1);
  es_events_free(events);
  query.last = 0;
  CHECK(es_monitor_open_query(monitor, &query, &scope) == ES_OK);
  CHECK(es_scope_pull(scope, ES_USUAL, &events) == ES_OK && es_events_size(events) == 2);
  es_events_free(events);
  es_scope_free(scope);
  CHECK(es_monitor_events(monitor, NULL, ES_FOREVER, &events) == ES_OK);
  const char* const wrong = check_writes(events);
  es_events_free(events);
  query.where = "sequence >";
  CHECK(es_monitor_events(monitor, &query, ES_USUAL, &events) == ES_CONFIGURATION && events == NULL);
  query.size = 0;
  CHECK_FAILS(es_monitor_events(monitor, &query, ES_USUAL, &events), ES_MISUSE, "query->size is 0");
  es_monitor_free(monitor);
  return wrong;
}

const char* use_recording(const char* file) {
  es_recording* recording = NULL;
  es_reader* reader = NULL;
  es_events* events = NULL;
  es_events* end = NULL;
  uint64_t lost = 9;
  CHECK(es_recording_open(file, &recording) == ES_OK);
  CHECK(strcmp(es_recording_session(recording), "c_api") == 0);
  CHECK(strstr(es_recording_pathmap(recording), "name: c_api") != NULL);
  CHECK(strcmp(es_recording_ending(recording), "done") == 0);
  CHECK(es_recording_begin_ns(recording) < es_recording_end_ns(recording));
  CHECK(strcmp(es_recording_damage(recording, &lost), "") == 0 && lost == 0);
  CHECK(es_recording_read(recording, INT64_MIN, INT64_MAX, &reader) == ES_OK);
  es_recording_free(recording); /* its readers may outlive it */
  CHECK(es_reader_next(reader, &events) == ES_OK);
  CHECK(es_reader_next(reader, &end) == ES_END && end == NULL);
  CHECK(es_reader_next(reader, &end) == ES_END && end == NULL);
  es_reader_free(reader);
  const char* const wrong = check_writes(events);
  es_events_free(events);
  return wrong;
}

const char* use_recording_as_session(const char* file) {
  es_monitor* monitor = NULL;
  es_scope* scope = NULL;
  es_events* events = NULL;
  CHECK(es_monitor_of_recording(file, &monitor) == ES_OK);
  CHECK(es_monitor_open(monitor, "events", &scope) == ES_OK);
  CHECK(es_scope_pull_at(scope, 0, &events) == ES_OK && es_events_size(events) == 0);
  es_events_free(events);
  CHECK(es_scope_pull(scope, ES_USUAL, &events) == ES_OK);
  const char* const wrong = check_writes(events);
  es_events_free(events);
  es_scope_free(scope);
  es_monitor_free(monitor);
  return wrong;
}

const char* use_metric(const char* file) {
  es_monitor* monitor = NULL;
  es_metric* metric = NULL;
  es_samples* samples = NULL;
  es_metric_query query = ES_METRIC("Writes");
  CHECK(es_monitor_of_recording(file, &monitor) == ES_OK);
  CHECK_FAILS(es_metric_open(monitor, &query, &metric), ES_CONFIGURATION, "Writes");
  query.text = "Writes(Process p, TimeInterval time) { RETURN Event_count(p, \"verb == 'write'\", time); }";
  query.each = (es_each)4;
  CHECK_FAILS(es_metric_open(monitor, &query, &metric), ES_MISUSE, "query->each is 4");
  query.each = ES_OBJECTS;
  CHECK(es_metric_open(monitor, &query, &metric) == ES_OK);
  es_monitor_free(monitor);
  CHECK(strcmp(es_metric_name(metric), "Writes") == 0 && strcmp(es_metric_unit(metric), "") == 0);
  CHECK(es_metric_read(metric, ES_USUAL, &samples) == ES_OK);
  CHECK(es_samples_size(samples) == 1 && es_samples_value(samples, 0) == 3);
  CHECK(es_samples_object_count(samples, 0) == 1 && strcmp(es_samples_object(samples, 0, 0), "p") == 0);
  CHECK(es_samples_object(samples, 0, 1) == NULL && es_samples_object(samples, 1, 0) == NULL);
  CHECK(es_samples_time_ns(samples, 0) > 0 && strcmp(es_samples_problem(samples, 0), "") == 0);
  CHECK(!es_samples_virtual_time(samples, 0, NULL) && isnan(es_samples_value(samples, 1)));
  CHECK(es_metric_lost(metric) == 0);
  es_samples_free(samples);
  CHECK(es_metric_read_at(metric, INT64_MAX, &samples) == ES_OK && es_samples_value(samples, 0) == 3);
  es_samples_free(samples);
  es_metric_free(metric);
  return NULL;
}

const char* use_probes(const char* name) {
  es_session* session = NULL;
  es_site* const step = es_site_of("step", "iteration, residual");
  CHECK(step != NULL && es_site_of("step", "iteration, residual") == step &&
        es_site_of("step", NULL) != step);
  es_probe(step, NULL, 0); /* without a session it does nothing */

  CHECK(es_session_open(name, "solver", 0, &session) == ES_OK);
  const es_number values[] = {es_integer(-1), es_real(0.5)};
  es_probe(step, values, 2);
  es_probe_at(step, 7, values, 2);
  es_region_begin(es_site_of("solve", NULL));
  es_region_end(es_site_of("solve", NULL), NULL, 0);

  es_monitor* monitor = NULL;
  es_events* events = NULL;
  const es_column* column = NULL;
  CHECK(es_monitor_of_session(name, &monitor) == ES_OK);
  CHECK(es_monitor_events(monitor, NULL, ES_USUAL, &events) == ES_OK && es_events_size(events) == 3);
  CHECK(es_events_column(events, "probe", &column) == ES_OK);
  CHECK(strcmp(es_column_text(column, 0), "step") == 0 && strcmp(es_column_text(column, 2), "solve") == 0);
  CHECK(es_events_column(events, "virtual_time", &column) == ES_OK && es_column_naturals(column)[1] == 7);
  es_events_free(events);
  es_monitor_free(monitor);
  es_session_free(session);
  return NULL;
}
