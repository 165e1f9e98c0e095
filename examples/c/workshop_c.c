/* workshop_c [BATCHES]: the maker and the packer of examples/workshop, in C. `eventspace run
 * ../workshop/workshop.yaml -- workshop_c` starts both, each in a process. docs/c.md explains it. */
#include <eventspace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { parts_in_a_batch = 100 };

/* This program cannot continue if a call fails. */
static void require(es_status status, const char* what) {
  if (status == ES_OK) return;
  fprintf(stderr, "workshop_c: %s: %s: %s\n", what, es_status_name(status), es_error_text());
  exit(status == ES_CONFIGURATION ? 2 : status == ES_ENVIRONMENT ? 3 : 1);
}

static es_path* path_of(es_thread* thread, const char* name) {
  es_path* path = NULL;
  require(es_thread_path(thread, name, &path), name);
  return path;
}

static void make_parts(es_thread* maker, int batches) {
  es_path* const put = path_of(maker, "put");
  es_path* const batch_done = path_of(maker, "batch-done");
  int number = 0;
  for (int batch = 1; batch <= batches; ++batch) {
    require(es_thread_set_virtual_time(maker, (uint64_t)batch), "virtual time");
    for (int i = 0; i < parts_in_a_batch; ++i) {
      es_tuple* part = NULL;
      require(es_tuple_make(&part, "it", ++number, "wheel"), "part");
      require(es_path_write(put, part, ES_FOREVER), "put");
      es_tuple_free(part);
    }
    require(es_path_exchange(batch_done, NULL, ES_FOREVER, NULL), "batch-done");
  }
}

static void pack_parts(es_thread* packer, int batches) {
  es_path* const get = path_of(packer, "get");
  es_path* const batch_done = path_of(packer, "batch-done");
  for (int batch = 1; batch <= batches; ++batch) {
    int last = 0;
    for (int i = 0; i < parts_in_a_batch; ++i) {
      es_tuple* part = NULL;
      require(es_path_take(get, ES_OLDEST, NULL, ES_FOREVER, &part), "get");
      require(es_tuple_get(part, "it", &last, NULL), "part"); /* the text is not needed */
      es_tuple_free(part);
    }
    printf("batch %d: %d parts, the last one has number %d\n", batch, parts_in_a_batch, last);
    fflush(stdout);
    require(es_path_exchange(batch_done, NULL, ES_FOREVER, NULL), "batch-done");
  }
}

int main(int argc, char** argv) {
  const int batches = argc > 1 ? atoi(argv[1]) : 3;
  es_session* session = NULL;
  require(es_session_from_environment(&session), "join");
  for (size_t i = 0; i < es_session_thread_count(session); ++i) { /* one in each process */
    const char* const name = es_session_thread_name(session, i);
    es_thread* me = NULL;
    require(es_session_thread(session, name, &me), name);
    if (strcmp(name, "maker") == 0) make_parts(me, batches);
    if (strcmp(name, "packer") == 0) pack_parts(me, batches);
  }
  es_session_free(session);
  return 0;
}
