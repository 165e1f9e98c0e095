/* A small monitor in C; docs/c.md explains it.
 *
 *     watch_c pathmap FILE      what the threads of its session have done since they began
 *     watch_c session NAME      the same for a session without a pathmap
 *     watch_c recording FILE    the events of a recording by verb, and a metric */
#include <eventspace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void require(es_status status, const char* what) {
  if (status == ES_OK) return;
  fprintf(stderr, "watch_c: %s: %s: %s\n", what, es_status_name(status), es_error_text());
  exit(status == ES_CONFIGURATION ? 2 : status == ES_ENVIRONMENT ? 3 : 1);
}

/* --- a session */

static void print_events(const es_events* events) {
  const es_column* thread = NULL;
  const es_column* verb = NULL;
  const es_column* duration = NULL;
  require(es_events_column(events, "thread", &thread), "thread");
  require(es_events_column(events, "verb", &verb), "verb");
  require(es_events_column(events, "duration", &duration), "duration");
  for (size_t i = 0; i < es_events_size(events); ++i) {
    printf("%-10s %-10s %8.0f ns\n", es_column_text(thread, i), es_column_text(verb, i),
           es_column_reals(duration)[i]);
  }
  for (size_t i = 0; i < es_events_missing_count(events); ++i)
    printf("not read: %s\n", es_events_missing(events, i));
}

static void watch(es_monitor* monitor) {
  es_scope* scope = NULL;
  require(es_monitor_open(monitor, "events", &scope), "scope");
  bool have_more = true;
  while (have_more) {
    es_events* events = NULL;
    require(es_scope_pull(scope, ES_USUAL, &events), "pull");
    print_events(events);
    have_more = es_events_have_more(events);
    es_events_free(events);
  }
  es_scope_free(scope);
}

/* --- a recording */

enum { most_verbs = 32 };
struct verb_count {
  char verb[32];
  unsigned long events;
};

static void count(struct verb_count* counts, const char* verb) {
  int i = 0;
  while (i < most_verbs - 1 && counts[i].events > 0 && strcmp(counts[i].verb, verb) != 0) ++i;
  snprintf(counts[i].verb, sizeof counts[i].verb, "%s", verb);
  counts[i].events += 1;
}

static void count_verbs(const char* file) {
  struct verb_count counts[most_verbs] = {{"", 0}};
  es_recording* recording = NULL;
  es_reader* reader = NULL;
  es_events* events = NULL;
  require(es_recording_open(file, &recording), "recording");
  require(es_recording_read(recording, INT64_MIN, INT64_MAX, &reader), "events");
  es_status status = es_reader_next(reader, &events);
  for (; status == ES_OK; status = es_reader_next(reader, &events)) {
    const es_column* verb = NULL;
    require(es_events_column(events, "verb", &verb), "verb");
    for (size_t i = 0; i < es_events_size(events); ++i) count(counts, es_column_text(verb, i));
    es_events_free(events);
  }
  if (status != ES_END) require(status, "events");
  for (int i = 0; i < most_verbs && counts[i].events > 0; ++i)
    printf("%-10s %8lu events\n", counts[i].verb, counts[i].events);
  es_reader_free(reader);
  es_recording_free(recording);
}

static void print_metric(es_monitor* monitor) {
  es_metric_query query = ES_METRIC("Writes");
  query.text = "Writes(Process p, TimeInterval time) { RETURN Event_count(p, \"verb == 'write'\", time); }";
  query.each = ES_OBJECTS;
  es_metric* metric = NULL;
  es_samples* samples = NULL;
  require(es_metric_open(monitor, &query, &metric), "metric");
  require(es_metric_read(metric, ES_USUAL, &samples), "metric");
  for (size_t i = 0; i < es_samples_size(samples); ++i)
    printf("%s of %s: %.0f\n", es_metric_name(metric), es_samples_object(samples, i, 0),
           es_samples_value(samples, i));
  es_samples_free(samples);
  es_metric_free(metric);
}

int main(int argc, char** argv) {
  es_monitor* monitor = NULL;
  if (argc == 3 && strcmp(argv[1], "pathmap") == 0) {
    require(es_monitor_of_pathmap(argv[2], NULL, &monitor), argv[2]);
    watch(monitor);
  } else if (argc == 3 && strcmp(argv[1], "session") == 0) {
    require(es_monitor_of_session(argv[2], &monitor), argv[2]);
    watch(monitor);
  } else if (argc == 3 && strcmp(argv[1], "recording") == 0) {
    count_verbs(argv[2]);
    require(es_monitor_of_recording(argv[2], &monitor), argv[2]);
    print_metric(monitor);
  } else {
    fprintf(stderr, "usage: watch_c pathmap FILE | session NAME | recording FILE\n");
    return 2;
  }
  es_monitor_free(monitor);
  return 0;
}
