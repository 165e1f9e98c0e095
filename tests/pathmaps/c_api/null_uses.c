#include <math.h>

#include "check.h"
#include "uses.h"

static const char* call_tuples(void) {
  es_tuple* tuple = NULL;
  es_builder* builder = NULL;
  es_template* made = NULL;
  size_t count = 0;
  CHECK_FAILS(es_tuple_make(NULL, "i", 1), ES_MISUSE, "tuple is NULL");
  CHECK_FAILS(es_tuple_make(&tuple, NULL), ES_MISUSE, "format is NULL");
  CHECK_FAILS(es_tuple_get(NULL, "i", NULL), ES_MISUSE, "tuple is NULL");
  CHECK_FAILS(es_template_make(&made, NULL), ES_MISUSE, "format is NULL");
  CHECK(es_tuple_size(NULL) == 0 && es_tuple_type(NULL, 0) == ES_NO_TYPE && es_tuple_sequence(NULL) == 0);
  CHECK(es_tuple_bool(NULL, 0, NULL) == ES_MISUSE && es_tuple_text(NULL, 0, NULL, NULL) == ES_MISUSE);
  CHECK(es_tuple_pack(NULL, 2, &tuple) == ES_MISUSE && es_tuple_unpack(NULL, &tuple, 1, &count) == ES_MISUSE);
  CHECK(es_tuple_make(&tuple, "i", 1) == ES_OK);
  CHECK_FAILS(es_tuple_int(tuple, 0, NULL), ES_MISUSE, "value is NULL");
  es_tuple_free(tuple);
  CHECK(es_builder_new(NULL) == ES_MISUSE && es_builder_add_int(NULL, 1) == ES_MISUSE);
  CHECK(es_builder_tuple(NULL, &tuple) == ES_MISUSE && es_builder_template(NULL, &made) == ES_MISUSE);
  CHECK(es_builder_copy(NULL, &tuple) == ES_MISUSE && es_tuple_int32(NULL, 0, NULL) == ES_MISUSE);
  CHECK(es_builder_new(&builder) == ES_OK);
  CHECK_FAILS(es_builder_add_text(builder, NULL), ES_MISUSE, "text is NULL");
  CHECK_FAILS(es_builder_add_text_of_length(builder, NULL, 1), ES_MISUSE, "text is NULL");
  CHECK_FAILS(es_builder_add_bytes(builder, NULL, 1), ES_MISUSE, "bytes is NULL");
  es_builder_free(builder);
  es_builder_clear(NULL);
  return NULL;
}

static const char* call_sessions(void) {
  es_session* session = NULL;
  es_thread* thread = NULL;
  es_path* path = NULL;
  es_tuple* tuple = NULL;
  CHECK_FAILS(es_session_join(NULL, NULL, NULL, 0, &session), ES_MISUSE, "pathmap is NULL");
  CHECK_FAILS(es_session_open(NULL, NULL, 0, &session), ES_MISUSE, "name is NULL");
  CHECK_FAILS(es_session_from_environment(NULL), ES_MISUSE, "joined is NULL");
  CHECK(es_session_close(NULL) == ES_MISUSE && es_session_set_collecting(NULL, true) == ES_MISUSE);
  CHECK(es_session_thread(NULL, "a", &thread) == ES_MISUSE && es_thread_path(NULL, "a", &path) == ES_MISUSE);
  CHECK(es_thread_set_virtual_time(NULL, 1) == ES_MISUSE && es_session_empty_traces(NULL) == ES_MISUSE);
  CHECK(es_thread_path_with(NULL, "a", "i", 1, false, &path) == ES_MISUSE);
  CHECK(strcmp(es_session_name(NULL), "") == 0 && strcmp(es_session_process(NULL), "") == 0);
  CHECK(strcmp(es_thread_name(NULL), "") == 0 && strcmp(es_path_name(NULL), "") == 0);
  CHECK(es_session_thread_count(NULL) == 0 && es_session_thread_name(NULL, 0) == NULL);
  CHECK(es_session_events_recorded(NULL) == 0 && es_session_events_discarded(NULL) == 0);
  CHECK(es_tuple_make(&tuple, "i", 1) == ES_OK);
  CHECK_FAILS(es_path_write(NULL, tuple, ES_TRY), ES_MISUSE, "path is NULL");
  es_tuple_free(tuple);
  CHECK(es_path_take(NULL, ES_OLDEST, NULL, ES_TRY, &tuple) == ES_MISUSE && tuple == NULL);
  CHECK(es_path_discard(NULL, 1) == ES_MISUSE && es_path_exchange(NULL, NULL, ES_TRY, NULL) == ES_MISUSE);
  es_probe(NULL, NULL, 3);
  es_region_begin(NULL);
  es_region_end(NULL, NULL, 0);
  es_region_end_at(NULL, 1, NULL, 0);
  CHECK(es_site_of(NULL, NULL) == NULL);
  return NULL;
}

static const char* call_monitors(void) {
  es_monitor* monitor = NULL;
  es_scope* scope = NULL;
  es_events* events = NULL;
  es_metric* metric = NULL;
  es_samples* samples = NULL;
  es_recording* recording = NULL;
  es_reader* reader = NULL;
  const es_column* column = NULL;
  CHECK(es_monitor_of_session(NULL, &monitor) == ES_MISUSE && es_monitor_of_session("a", NULL) == ES_MISUSE);
  CHECK(es_monitor_of_pathmap(NULL, NULL, &monitor) == ES_MISUSE);
  CHECK(es_monitor_of_recording(NULL, &monitor) == ES_MISUSE && strcmp(es_monitor_session(NULL), "") == 0);
  CHECK(es_monitor_open(NULL, "a", &scope) == ES_MISUSE &&
        es_monitor_open_query(NULL, NULL, &scope) == ES_MISUSE);
  CHECK(es_scope_pull(NULL, ES_TRY, &events) == ES_MISUSE && es_scope_pull_at(NULL, 0, &events) == ES_MISUSE);
  CHECK(es_monitor_events(NULL, NULL, ES_TRY, &events) == ES_MISUSE);
  CHECK(es_events_size(NULL) == 0 && !es_events_have_more(NULL) && es_events_field_name(NULL, 0) == NULL);
  CHECK(es_events_column(NULL, "a", &column) == ES_MISUSE && es_events_loss(NULL, NULL) == ES_MISUSE);
  CHECK(es_events_missing_count(NULL) == 0 && es_monitor_scope_count(NULL) == 0);
  CHECK(es_column_type_of(NULL) == ES_NO_COLUMN && es_column_size(NULL) == 0);
  CHECK(es_column_present(NULL) == NULL && es_column_codes(NULL) == NULL && es_column_naturals(NULL) == NULL);
  CHECK(es_column_name(NULL, 0) == NULL && strcmp(es_column_text(NULL, 0), "") == 0);
  CHECK(es_metric_open(NULL, NULL, &metric) == ES_MISUSE && es_metric_read(NULL, 0, &samples) == ES_MISUSE);
  CHECK(es_metric_read_at(NULL, 0, &samples) == ES_MISUSE && es_metric_lost(NULL) == 0);
  CHECK(strcmp(es_metric_name(NULL), "") == 0 && strcmp(es_metric_unit(NULL), "") == 0);
  CHECK(es_samples_size(NULL) == 0 && isnan(es_samples_value(NULL, 0)) && es_samples_time_ns(NULL, 0) == 0);
  CHECK(es_recording_open(NULL, &recording) == ES_MISUSE && es_recording_begin_ns(NULL) == 0);
  CHECK(es_recording_read(NULL, 0, 1, &reader) == ES_MISUSE && es_reader_next(NULL, &events) == ES_MISUSE);
  CHECK(strcmp(es_recording_session(NULL), "") == 0 && strcmp(es_recording_damage(NULL, NULL), "") == 0);
  CHECK(strcmp(es_recording_pathmap(NULL), "") == 0 && strcmp(es_recording_ending(NULL), "") == 0);
  return NULL;
}

static const char* call_frees(void) {
  es_tuple_free(NULL);
  es_builder_free(NULL);
  es_template_free(NULL);
  es_session_free(NULL);
  es_monitor_free(NULL);
  es_scope_free(NULL);
  es_events_free(NULL);
  es_recording_free(NULL);
  es_reader_free(NULL);
  es_metric_free(NULL);
  es_samples_free(NULL);
  return NULL;
}

const char* use_nulls(void) {
  const char* failed = call_tuples();
  if (failed == NULL) failed = call_sessions();
  if (failed == NULL) failed = call_monitors();
  if (failed == NULL) failed = call_frees();
  return failed;
}
