#include "check.h"
#include "uses.h"

/* Joins and yields the path `name` of thread a. */
static es_status join(const char* pathmap, const char* name, es_session** session, es_path** path) {
  es_thread* thread = NULL;
  es_status status = es_session_join(pathmap, NULL, NULL, 0, session);
  if (status == ES_OK) status = es_session_thread(*session, "a", &thread);
  if (status == ES_OK) status = es_thread_path(thread, name, path);
  return status;
}

static es_status write_part(es_path* path, int number, const char* text, int64_t wait_ns) {
  es_tuple* part = NULL;
  es_status status = es_tuple_make(&part, "it", number, text);
  if (status == ES_OK) status = es_path_write(path, part, wait_ns);
  es_tuple_free(part);
  return status;
}

/* The number of the tuple, which it frees; -1 without one. */
static int number_of(es_tuple* tuple) {
  int number = -1;
  const bool has_number = tuple != NULL && es_tuple_get(tuple, "it", &number, NULL) == ES_OK;
  es_tuple_free(tuple);
  return has_number ? number : -1;
}

static const int64_t millisecond = 1000000;

const char* use_operations(const char* pathmap) {
  es_session* session = NULL;
  es_path* queue = NULL;
  CHECK(join(pathmap, "queue", &session, &queue) == ES_OK);
  CHECK(strcmp(es_session_name(session), "c_api") == 0 && strcmp(es_session_process(session), "p") == 0);
  CHECK(es_session_thread_count(session) == 2 && es_session_thread_name(session, 2) == NULL);
  CHECK(strcmp(es_session_thread_name(session, 1), "b") == 0 && strcmp(es_path_name(queue), "queue") == 0);

  es_tuple* tuple = NULL;
  CHECK_FAILS(es_path_take(queue, ES_OLDEST, NULL, ES_TRY, &tuple), ES_EMPTY, "empty");
  CHECK(es_path_take(queue, ES_OLDEST, NULL, millisecond, &tuple) == ES_TIMED_OUT && tuple == NULL);
  CHECK(write_part(queue, 1, "axle", ES_FOREVER) == ES_OK);
  CHECK(write_part(queue, 2, "wheel", ES_TRY) == ES_OK);
  CHECK(write_part(queue, 3, "bell", ES_TRY) == ES_FULL);
  CHECK(write_part(queue, 3, "bell", millisecond) == ES_TIMED_OUT);

  CHECK(es_path_read(queue, ES_NEWEST, NULL, ES_FOREVER, &tuple) == ES_OK);
  CHECK(es_tuple_sequence(tuple) == 2 && number_of(tuple) == 2);
  uint64_t missed = 9;
  CHECK(es_path_next(queue, NULL, ES_TRY, &tuple, &missed) == ES_OK && number_of(tuple) == 1 && missed == 0);
  CHECK(es_path_next(queue, NULL, ES_TRY, &tuple, NULL) == ES_OK && number_of(tuple) == 2);
  CHECK(es_path_take(queue, ES_OLDEST, NULL, ES_TRY, &tuple) == ES_OK && number_of(tuple) == 1);
  CHECK(es_path_read_at(queue, 1, ES_TRY, &tuple) == ES_GONE && tuple == NULL);
  CHECK(es_path_read_at(queue, 2, ES_TRY, &tuple) == ES_OK && number_of(tuple) == 2);
  CHECK(es_path_discard(queue, 2) == ES_OK);
  CHECK(es_path_read(queue, ES_OLDEST, NULL, ES_TRY, &tuple) == ES_EMPTY);
  CHECK(es_session_events_recorded(session) > 0 && es_session_events_discarded(session) == 0);
  es_session_free(session);
  return NULL;
}

const char* use_templates(const char* pathmap) {
  es_session* session = NULL;
  es_path* queue = NULL;
  CHECK(join(pathmap, "queue", &session, &queue) == ES_OK);
  CHECK(write_part(queue, 1, "axle", ES_TRY) == ES_OK && write_part(queue, 2, "wheel", ES_TRY) == ES_OK);

  es_template* wheels = NULL;
  es_tuple* tuple = NULL;
  CHECK(es_template_make(&wheels, "i=t", "wheel") == ES_OK);
  CHECK(es_path_take(queue, ES_OLDEST, wheels, ES_TRY, &tuple) == ES_OK && number_of(tuple) == 2);
  CHECK(es_path_take(queue, ES_OLDEST, wheels, ES_TRY, &tuple) == ES_EMPTY);
  es_template_free(wheels);

  es_builder* builder = NULL;
  CHECK(es_builder_new(&builder) == ES_OK);
  CHECK(es_builder_add_int(builder, 1) == ES_OK && es_builder_add_any(builder, ES_TEXT) == ES_OK);
  CHECK(es_builder_template(builder, &wheels) == ES_OK);
  CHECK(es_path_take(queue, ES_NEWEST, wheels, ES_TRY, &tuple) == ES_OK && number_of(tuple) == 1);
  es_template_free(wheels);
  es_builder_free(builder);
  es_session_free(session);
  return NULL;
}

const char* use_element_of_other_types(const char* pathmap) {
  es_session* session = NULL;
  es_path* queue = NULL;
  CHECK(join(pathmap, "queue", &session, &queue) == ES_OK);
  es_tuple* tuple = NULL;
  es_tuple* received = NULL;
  CHECK(es_tuple_make(&tuple, "ti", "wheel", 1) == ES_OK);
  CHECK_FAILS(es_path_write(queue, tuple, ES_TRY), ES_REFUSED, "(text, int)");
  es_tuple_free(tuple);
  es_template* texts = NULL;
  CHECK(es_template_make(&texts, "t") == ES_OK);
  CHECK(es_path_take(queue, ES_OLDEST, texts, ES_TRY, &received) == ES_REFUSED && received == NULL);
  es_template_free(texts);
  CHECK_FAILS(write_part(queue, 1, "wheel", -3), ES_MISUSE, "wait_ns is -3");
  CHECK_FAILS(es_path_read(queue, (es_from)7, NULL, ES_TRY, &received), ES_MISUSE, "from is 7");
  es_session_free(session);
  return NULL;
}

const char* use_closed_session(const char* pathmap) {
  es_session* session = NULL;
  es_thread* thread = NULL;
  es_path* queue = NULL;
  es_tuple* tuple = NULL;
  CHECK(join(pathmap, "queue", &session, &queue) == ES_OK);
  CHECK(es_session_thread(session, "a", &thread) == ES_OK);
  CHECK(write_part(queue, 1, "wheel", ES_TRY) == ES_OK);
  CHECK(es_session_close(session) == ES_OK && es_session_close(session) == ES_OK);

  CHECK(write_part(queue, 2, "wheel", ES_FOREVER) == ES_CLOSED);
  CHECK(es_path_take(queue, ES_OLDEST, NULL, ES_FOREVER, &tuple) == ES_CLOSED && tuple == NULL);
  CHECK(es_path_exchange(queue, NULL, ES_FOREVER, &tuple) != ES_OK && tuple == NULL);
  CHECK_FAILS(es_session_thread(session, "a", &thread), ES_CLOSED, "the session was closed");
  CHECK(thread == NULL);
  CHECK(es_session_set_collecting(session, false) == ES_OK && es_session_empty_traces(session) == ES_OK);
  es_session_free(session);
  return NULL;
}

const char* use_sessions_that_are_not_there(const char* pathmap) {
  es_session* session = NULL;
  CHECK_FAILS(es_session_join("/none/such.yaml", NULL, NULL, 0, &session), ES_CONFIGURATION,
              "/none/such.yaml");
  CHECK_FAILS(es_session_join(pathmap, "q", NULL, 0, &session), ES_CONFIGURATION, "q");
  CHECK_FAILS(es_session_join(pathmap, NULL, NULL, 8, &session), ES_MISUSE, "flags has the unknown bits 8");
  CHECK_FAILS(es_session_open("a/b", NULL, 0, &session), ES_CONFIGURATION, "a/b");
  CHECK(session == NULL);
  es_monitor* monitor = NULL;
  CHECK_FAILS(es_monitor_of_session("nowhere", &monitor), ES_ENVIRONMENT, "nowhere");
  CHECK_FAILS(es_monitor_of_recording(pathmap, &monitor), ES_ENVIRONMENT, pathmap);
  CHECK(monitor == NULL);

  CHECK(es_session_join(pathmap, NULL, "mine", ES_NO_EVENTS | ES_END_WHEN_LOST, &session) == ES_OK);
  CHECK(strcmp(es_session_name(session), "mine") == 0);
  es_thread* thread = NULL;
  es_path* path = NULL;
  CHECK_FAILS(es_session_thread(session, "c", &thread), ES_CONFIGURATION, "'c'");
  CHECK(es_session_thread(session, "a", &thread) == ES_OK && strcmp(es_thread_name(thread), "a") == 0);
  CHECK_FAILS(es_thread_path(thread, "put", &path), ES_CONFIGURATION, "queue"); /* those that there are */
  CHECK(es_thread_path_with(thread, "mine", "i", 10, false, &path) == ES_CONFIGURATION);
  CHECK(es_thread_path_with(thread, "mine", "?", 10, false, &path) == ES_CONFIGURATION && path == NULL);
  es_session_free(session);
  return NULL;
}

const char* use_elements_without_pathmap(const char* name) {
  es_session* session = NULL;
  es_thread* thread = NULL;
  es_path* path = NULL;
  es_path* same = NULL;
  CHECK(es_session_open(name, "solver", 0, &session) == ES_OK);
  CHECK(strcmp(es_session_process(session), "solver") == 0 && es_session_thread_count(session) == 0);
  CHECK(es_session_thread(session, "main", &thread) == ES_OK);
  CHECK(es_thread_path_with(thread, "newest", "it", 1, true, &path) == ES_OK);
  CHECK(es_thread_path(thread, "newest", &same) == ES_OK && same == path);
  CHECK(write_part(path, 1, "a", ES_FOREVER) == ES_OK && write_part(path, 2, "b", ES_FOREVER) == ES_OK);
  es_tuple* tuple = NULL;
  CHECK(es_path_take(path, ES_OLDEST, NULL, ES_FOREVER, &tuple) == ES_OK && number_of(tuple) == 2);
  es_session_free(session);
  return NULL;
}
