/* EventSpace for C, and for languages that call C. <eventspace/eventspace.h> is the interface for C++, whose
 * documentation (docs/library.md) explains the words; docs/c.md is a how-to with examples.
 *
 * Handles. Each type es_... that is only declared here is opaque. A function that makes a handle stores it
 * through a pointer, and stores NULL there unless it returns ES_OK. The function whose name ends with
 * _free releases it; NULL is ignored. Threads and paths belong to their session, columns to their events:
 * these are not freed.
 *
 * Outcomes. A function that can fail returns an es_status. Unless that is ES_OK, es_error_text() has a
 * sentence for users. A handle or text that is NULL where the documentation does not allow it is ES_MISUSE.
 * Functions that return something else yield 0, false, NULL or "" for NULL. No function ends the process,
 * prints, or throws a C++ exception.
 *
 * Waits. A parameter `wait_ns` is the time, in nanoseconds, that a call may block: ES_TRY, ES_FOREVER, or
 * more than 0. Other values are ES_MISUSE.
 *
 * Threads. Different handles may be used by different threads at the same time. The type of each handle says
 * which of its functions several threads may call at once. A thread must not be cancelled (pthread_cancel) in
 * a call.
 *
 * Texts are UTF-8 and end with a NUL. A function that takes a text copies it. A text that a function returns
 * belongs to the handle, and is valid as long as that is, if nothing else is said.
 *
 * After fork(), the child may only free the sessions, monitors, scopes, metrics, recordings and readers of
 * its parent. Other calls with them, or with the threads and paths of a session, are ES_MISUSE there, except
 * those that return a name or text. Tuples, templates, events and samples are for both, unless another thread
 * of the parent was in a call with them.
 */
#ifndef EVENTSPACE_C_API_H
#define EVENTSPACE_C_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Enumerations are an int in both languages, and may have any number: functions check it. */
#ifdef __cplusplus
#define ES_OF_INT : int
extern "C" {
#else
#define ES_OF_INT
#endif

/* --- versions */

/* The version of this interface. A program that was compiled with one number runs with each library of that
 * number that is not older than its header; the name of the library ends with it: libeventspace.so.0. */
#define ES_ABI_VERSION 0

/* The ES_ABI_VERSION of the library that runs, and its version, such as "0.1.0". */
uint32_t es_abi_version(void);
const char* es_version(void);

/* --- outcomes */

typedef enum es_status ES_OF_INT {
  ES_OK = 0,
  ES_EMPTY = 2,          /* ES_TRY: there is no matching tuple now */
  ES_FULL = 3,           /* ES_TRY: the element has no room now */
  ES_TIMED_OUT = 4,      /* the time has passed; nothing was done, but see es_path_exchange */
  ES_GONE = 5,           /* the tuple with this number was taken or discarded */
  ES_CLOSED = 6,         /* the session was closed, or a process with the element was lost; the operation may
                            have been done all the same */
  ES_REFUSED = 7,        /* the element refuses it: wrong types of fields, too large, unknown */
  ES_END = 8,            /* there are no more events */
  ES_CONFIGURATION = 16, /* an invalid name, pathmap, condition, type or format */
  ES_ENVIRONMENT = 17,   /* the machine refused: no such session or file, no space, no permission */
  ES_MISUSE = 18,        /* a call that this header forbids: NULL, another thread's handle */
  ES_NO_MEMORY = 19,
  ES_FAULT = 20 /* a fault of the library; the text has what is known */
} es_status;

/* The name of a status in messages, such as "timed out"; "?" for other numbers. Never NULL. */
const char* es_status_name(es_status status);

/* The reason of the last call of this thread that did not return ES_OK, as a sentence; "" without such a
 * call. At most 2047 bytes: longer texts are cut. Calls that succeed leave it alone. Valid until the thread's
 * next call that fails, or its end. Never NULL. */
const char* es_error_text(void);

/* --- waits */

#define ES_TRY INT64_C(0)      /* does not block */
#define ES_FOREVER INT64_C(-1) /* without limit */
/* For pulls and metrics, the time-out of the scope or 1 s; for es_monitor_events, 10 s; else ES_MISUSE. */
#define ES_USUAL INT64_C(-2)

/* --- tuples */

/* A typed list of values; see es_tuple_make. Never changes; threads may read it at the same time. */
typedef struct es_tuple es_tuple;
/* Makes tuples and templates value by value. One thread at a time. */
typedef struct es_builder es_builder;
/* Selects tuples: for each field a value, or any value of a type. Never changes; threads may use it at the
 * same time. */
typedef struct es_template es_template;

typedef enum es_type ES_OF_INT {
  ES_BOOL = 0,  /* `bool` in pathmaps; bool */
  ES_INT = 1,   /* `int`; int64_t */
  ES_FLOAT = 2, /* `float`; double */
  ES_TEXT = 3,  /* `text` */
  ES_BYTES = 4, /* `bytes` */
  ES_NO_TYPE = -1
} es_type;

/* Makes a tuple of the values that follow. `format` has one letter for each field:
 *
 *     letter   field   argument
 *     b        bool    int, or bool
 *     i        int     int
 *     l        int     int64_t: a literal needs a cast, or INT64_C
 *     f        float   double
 *     t        text    const char*
 *     y        bytes   const void*, size_t
 *
 *     es_tuple_make(&part, "it", 7, "wheel");
 *
 * Blanks are ignored. The values are copied. ES_CONFIGURATION for an unknown letter, or more than 64 fields.
 * The compiler does not check the arguments: es_builder is the form that it checks. */
es_status es_tuple_make(es_tuple** tuple, const char* format, ...);
/* Stores the fields through the pointers that follow, by the same letters:
 *
 *     int number;
 *     const char* name;
 *     es_tuple_get(part, "it", &number, &name);
 *
 * The pointers are to bool (b), int (i), int64_t (l), double (f), const char* (t), or to const void* and then
 * size_t (y). A NULL pointer skips its field. Texts and bytes are valid as long as the tuple.
 * ES_CONFIGURATION if the tuple has other types or another number of fields, or if a number is too large for
 * an int; then nothing is stored. */
es_status es_tuple_get(const es_tuple* tuple, const char* format, ...);
void es_tuple_free(es_tuple* tuple);

size_t es_tuple_size(const es_tuple* tuple);                /* the number of fields */
es_type es_tuple_type(const es_tuple* tuple, size_t index); /* ES_NO_TYPE if there is no such field */
uint64_t es_tuple_sequence(const es_tuple* tuple);          /* its number in the element, or of the exchange;
                                                               0 if it did not come from a path */
/* One field, counted from 0. ES_CONFIGURATION if the tuple lacks it or it has another type. */
es_status es_tuple_bool(const es_tuple* tuple, size_t index, bool* value);
es_status es_tuple_int(const es_tuple* tuple, size_t index, int64_t* value);
/* ES_CONFIGURATION too if the number is too large for an int32_t. */
es_status es_tuple_int32(const es_tuple* tuple, size_t index, int32_t* value);
es_status es_tuple_float(const es_tuple* tuple, size_t index, double* value);
/* `length` may be NULL; it does not count the NUL at the end. A text may have other NULs. */
es_status es_tuple_text(const es_tuple* tuple, size_t index, const char** text, size_t* length);
es_status es_tuple_bytes(const es_tuple* tuple, size_t index, const void** bytes, size_t* length);

/* A tuple in one field of bytes for each of several tuples: what the root of a scatter contributes, and the
 * root of a gather receives. es_tuple_unpack stores up to `room` tuples, each to be freed, and always their
 * number in `count`; if that is more than `room`, it stores none and returns ES_MISUSE. ES_CONFIGURATION if
 * the tuple is not a packed one. A `count` of tuples that cannot be in memory is ES_NO_MEMORY. */
es_status es_tuple_pack(const es_tuple* const* tuples, size_t count, es_tuple** packed);
es_status es_tuple_unpack(const es_tuple* packed, es_tuple** tuples, size_t room, size_t* count);

es_status es_builder_new(es_builder** builder);
void es_builder_free(es_builder* builder);
/* Each adds a field with a value. */
es_status es_builder_add_bool(es_builder* builder, bool value);
es_status es_builder_add_int(es_builder* builder, int64_t value);
es_status es_builder_add_float(es_builder* builder, double value);
es_status es_builder_add_text(es_builder* builder, const char* text);
/* A text of so many bytes, which may have NULs. `text` may be NULL if there are none. */
es_status es_builder_add_text_of_length(es_builder* builder, const char* text, size_t length);
es_status es_builder_add_bytes(es_builder* builder, const void* bytes, size_t length);
/* Adds a field that matches any value of a type: for templates. */
es_status es_builder_add_any(es_builder* builder, es_type type);
/* Makes a tuple or a template of the fields so far, and empties the builder. If it fails, the builder keeps
 * its fields. */
es_status es_builder_tuple(es_builder* builder, es_tuple** tuple);
es_status es_builder_template(es_builder* builder, es_template** made);
/* Makes a tuple of the fields so far. The builder keeps them, such as for another attempt. */
es_status es_builder_copy(const es_builder* builder, es_tuple** tuple);
void es_builder_clear(es_builder* builder);

/* Makes a template. A letter as above stands for any value of the type, and `=` before it for a value, which
 * follows as an argument:
 *
 *     es_template_make(&wheels, "i=t", "wheel");      any number, and this text */
es_status es_template_make(es_template** made, const char* format, ...);
void es_template_free(es_template* freed);

/* --- sessions */

/* The participation of this process in a session. Threads may use it at the same time, except in
 * es_session_free. */
typedef struct es_session es_session;
/* A thread of a session. Belongs to the session; only the thread that obtained it may use it (ES_MISUSE). The
 * paths of one es_thread share its connections: one call at a time over all of them. A call with the thread
 * or one of its paths while another one is under way is ES_MISUSE. */
typedef struct es_thread es_thread;
/* Access to an element. Belongs to the session. Other threads may use it too, under the rule above. */
typedef struct es_path es_path;

enum {
  ES_NO_EVENTS = 1,    /* the process does not record events */
  ES_END_WHEN_LOST = 2 /* for es_session_join: operations end with ES_CLOSED when another process of the
                          application is lost, instead of waiting for it to come back */
};

/* Joins as a process of a pathmap. `process` may be NULL: $EVENTSPACE_PROCESS, or the only process.
 * `session`, its name, may be NULL: $EVENTSPACE_SESSION, or the name in the pathmap. `flags`: ES_NO_EVENTS,
 * ES_END_WHEN_LOST or both, or 0. Does not wait for other processes. ES_CONFIGURATION for a faulty pathmap,
 * with a line for each fault; ES_ENVIRONMENT if shared memory is full or the process is in the session
 * already. */
es_status es_session_join(const char* pathmap, const char* process, const char* session, uint32_t flags,
                          es_session** joined);
/* Joins a session without a pathmap, by its name. `process`, a name for this process, may be NULL. `flags`:
 * ES_NO_EVENTS or 0. ES_CONFIGURATION if a library that `eventspace run` preloads, to record the calls of MPI
 * or PVM, has joined the session in this process: an MPI program opens it before MPI_Init, and its calls of
 * MPI are then not recorded. */
es_status es_session_open(const char* name, const char* process, uint32_t flags, es_session** opened);
/* Joins as `eventspace run` says, by EVENTSPACE_PATHMAP, EVENTSPACE_PROCESS and EVENTSPACE_SESSION, like
 * es_session_join or es_session_open. */
es_status es_session_from_environment(es_session** joined);
/* Ends the waiting operations of this process, and all later ones, with ES_CLOSED. The handles stay valid. */
es_status es_session_close(es_session* session);
/* Closes and leaves the session. Its threads and paths are no longer valid: no thread may be in a call with
 * one of them, or use one later. */
void es_session_free(es_session* session);

const char* es_session_name(const es_session* session);
const char* es_session_process(const es_session* session);
/* The names of the threads that the pathmap places in this process; NULL if there is no thread `index`. */
size_t es_session_thread_count(const es_session* session);
const char* es_session_thread_name(const es_session* session, size_t index);
/* Switches the recording of events on or off, for operations that begin later. */
es_status es_session_set_collecting(es_session* session, bool on);
/* Empties the trace elements of this process: monitors do not see what ended so far. */
es_status es_session_empty_traces(es_session* session);
uint64_t es_session_events_recorded(const es_session* session);
uint64_t es_session_events_discarded(const es_session* session);

/* Makes the calling thread the session's thread `name`. The same thread gets the same handle again. Without a
 * pathmap any name will do. ES_CONFIGURATION for an unknown name, or one that another thread has; ES_CLOSED
 * after es_session_close. */
es_status es_session_thread(es_session* session, const char* name, es_thread** thread);
const char* es_thread_name(const es_thread* thread);
/* The path of this name; always the same handle. Without a pathmap it leads to the element of that name,
 * which keeps 200 tuples of the type of the first one. Look it up once, before the loop. ES_CONFIGURATION for
 * an unknown name. May wait for a server to start. */
es_status es_thread_path(es_thread* thread, const char* name, es_path** path);
/* Only without a pathmap: the element has the types of `format` (the letters of es_tuple_make), keeps
 * `threshold` tuples, and a write to a full one waits or, if `discards`, drops the oldest. */
es_status es_thread_path_with(es_thread* thread, const char* name, const char* format, size_t threshold,
                              bool discards, es_path** path);
/* The progress of the program, such as the step of its main loop, which later events have. */
es_status es_thread_set_virtual_time(es_thread* thread, uint64_t value);
const char* es_path_name(const es_path* path);

/* --- operations */

typedef enum es_from ES_OF_INT {
  ES_OLDEST = 0, /* the oldest matching tuple */
  ES_NEWEST = 1  /* only the newest tuple that is kept */
} es_from;

/* Operations block until done, at most for `wait_ns`: ES_EMPTY or ES_FULL with ES_TRY, ES_TIMED_OUT
 * otherwise. The tuple that a call stores is to be freed. `match` may be NULL: all tuples. ES_CLOSED and
 * ES_REFUSED are possible for each. */

/* Appends the tuple, which stays the caller's. Waits for room. */
es_status es_path_write(es_path* path, const es_tuple* tuple, int64_t wait_ns);
/* Returns a tuple, which stays in the element. */
es_status es_path_read(es_path* path, es_from from, const es_template* match, int64_t wait_ns,
                       es_tuple** tuple);
/* Returns a tuple and removes it. */
es_status es_path_take(es_path* path, es_from from, const es_template* match, int64_t wait_ns,
                       es_tuple** tuple);
/* Reads the tuple after the one that the last call of this function returned. `missed`, which may be NULL:
 * how many tuples were discarded between the two; valid only with ES_OK. */
es_status es_path_next(es_path* path, const es_template* match, int64_t wait_ns, es_tuple** tuple,
                       uint64_t* missed);
/* Reads tuple number `sequence`, from 1 on; ES_GONE if it is no longer kept. */
es_status es_path_read_at(es_path* path, uint64_t sequence, int64_t wait_ns, es_tuple** tuple);
/* Drops all tuples up to number `sequence`. Does not wait. */
es_status es_path_discard(es_path* path, uint64_t sequence);
/* Takes part in a collective operation: contributes a tuple (NULL: none, such as for a barrier) and gets the
 * result, when all participants have called. `result` may be NULL. A participant that gives
 * up, with ES_TIMED_OUT, breaks the collective for all. */
es_status es_path_exchange(es_path* path, const es_tuple* contribution, int64_t wait_ns, es_tuple** result);

/* --- probes and regions
 *
 * For C and C++, the macros of <eventspace/probe.h> are shorter, and need no library. These functions are for
 * other languages, and for names that are known only when the program runs. They never wait or fail: without
 * a session, or with NULL, they do nothing. Threads may call them at the same time. */

/* The place of a probe or region. */
typedef struct es_site es_site;
/* A value of a probe: es_integer, es_natural and es_real make one. */
typedef struct es_number {
  uint64_t bits;
  uint32_t form; /* 1: bits of an int64_t, 2: of an uint64_t, 3: of a double */
} es_number;
es_number es_integer(int64_t value);
es_number es_natural(uint64_t value);
es_number es_real(double value);

/* The place for a name; the same one for the same texts. `values`: names of its values, with commas between
 * them; NULL: none. It is kept until the process ends, is not freed, and takes a lock: look it up once. NULL
 * if `name` is NULL or there is no memory. */
es_site* es_site_of(const char* name, const char* values);
/* A moment, with up to 8 values. */
void es_probe(es_site* site, const es_number* values, size_t count);
/* A stretch of time of the calling thread. Regions nest. The second ends the innermost open region of the
 * place's name, and those that began after it. */
void es_region_begin(es_site* site);
void es_region_end(es_site* site, const es_number* values, size_t count);
/* The same with the virtual time. */
void es_probe_at(es_site* site, uint64_t virtual_time, const es_number* values, size_t count);
void es_region_end_at(es_site* site, uint64_t virtual_time, const es_number* values, size_t count);

/* --- monitors */

/* Reads the events of a session or a recording. One thread at a time uses a monitor and all its scopes and
 * metrics. */
typedef struct es_monitor es_monitor;
/* A scope of a monitor, which it may outlive. */
typedef struct es_scope es_scope;
/* The events of one pull, or of a piece of a recording. Never change; threads may read them at the same time.
 * They outlive what they came from. */
typedef struct es_events es_events;
/* One field of all events, in one array. Belongs to its events. */
typedef struct es_column es_column;

/* A running session without a pathmap, the session of a pathmap (`session`, its name, may be NULL), or a
 * recording. ES_ENVIRONMENT if there is no such session or file; ES_CONFIGURATION for a faulty pathmap. */
es_status es_monitor_of_session(const char* name, es_monitor** monitor);
es_status es_monitor_of_pathmap(const char* file, const char* session, es_monitor** monitor);
es_status es_monitor_of_recording(const char* file, es_monitor** monitor);
void es_monitor_free(es_monitor* monitor);
const char* es_monitor_session(const es_monitor* monitor);
/* The names of the scopes that yield events; NULL if there is no scope `index`. */
size_t es_monitor_scope_count(const es_monitor* monitor);
const char* es_monitor_scope_name(const es_monitor* monitor, size_t index);

/* Which events to read. ES_QUERY_OF_ALL is all events, to be changed member by member. */
typedef struct es_query {
  size_t size;         /* sizeof(es_query) */
  const char* where;   /* a condition (docs/expressions.md); NULL: all */
  const char* threads; /* a pattern of names; NULL: all */
  const char* paths;   /* the same */
  int64_t since_ns; /* only events that ended at most so long before the first pull; less than 0: all kept */
  size_t last;      /* only so many of each pull, which ended last; 0: all */
  bool in_flight;   /* also operations that have not ended */
  bool all_points;  /* each operation at all points where it is recorded */
} es_query;
#define ES_QUERY_OF_ALL \
  { sizeof(es_query), NULL, NULL, NULL, -1, 0, false, false }

/* Opens a scope by its name, or one that selects events. Each has its own position. ES_CONFIGURATION for an
 * unknown name, or a faulty condition or pattern. */
es_status es_monitor_open(es_monitor* monitor, const char* scope, es_scope** opened);
es_status es_monitor_open_query(es_monitor* monitor, const es_query* query, es_scope** opened);
void es_scope_free(es_scope* scope);
/* Reads the events since the last pull; none is ES_OK too. Blocks until all sources have answered, at most
 * for `wait_ns`, which may be ES_USUAL. Sources that did not answer are in es_events_missing. Pull again
 * while es_events_have_more. For a recording, wait_ns is ignored. */
es_status es_scope_pull(es_scope* scope, int64_t wait_ns, es_events** events);
/* Only for recordings: the events that had ended by this time, in nanoseconds since 1970. */
es_status es_scope_pull_at(es_scope* scope, int64_t realtime_ns, es_events** events);
/* The events that are kept now and match (`query` may be NULL: all). `wait_ns` may be ES_USUAL, which
 * is 10 s here. */
es_status es_monitor_events(es_monitor* monitor, const es_query* query, int64_t wait_ns, es_events** events);

/* --- events, as columns */

typedef enum es_column_type ES_OF_INT {
  ES_NATURALS = 0, /* uint64_t; missing: 0 */
  ES_INTEGERS = 1, /* int64_t, such as a time in nanoseconds since 1970; missing: INT64_MIN */
  ES_REALS = 2,    /* double, such as a duration in nanoseconds; missing: NaN */
  ES_BOOLEANS = 3, /* uint8_t, 0 or 1; missing: 0 */
  ES_NAMES = 4,    /* uint32_t, an index for es_column_name; missing: UINT32_MAX */
  ES_NO_COLUMN = -1
} es_column_type;

void es_events_free(es_events* events);
size_t es_events_size(const es_events* events);
bool es_events_have_more(const es_events* events); /* whether the next pull has more that are ready already */
/* The fields that these events can have, such as "thread", "verb", "duration" (docs/expressions.md),
 * "start_ns" and "end_ns"; NULL if there is no field `index`. */
size_t es_events_field_count(const es_events* events);
const char* es_events_field_name(const es_events* events, size_t index);
/* The column of a field. The first call for a field makes it. Valid as long as the events. ES_CONFIGURATION,
 * with near names, for an unknown field. */
es_status es_events_column(const es_events* events, const char* field, const es_column** column);

es_column_type es_column_type_of(const es_column* column);
size_t es_column_size(const es_column* column);            /* the number of events */
const uint8_t* es_column_present(const es_column* column); /* for each event 1 if it has the field, else 0 */
/* The values, one for each event; NULL if the column has another type, and possibly if there are no events,
 * like es_column_present. */
const uint64_t* es_column_naturals(const es_column* column);
const int64_t* es_column_integers(const es_column* column);
const double* es_column_reals(const es_column* column);
const uint8_t* es_column_booleans(const es_column* column);
const uint32_t* es_column_codes(const es_column* column);
/* The names to which the codes refer, from 0 on; NULL if there is none. Different codes may have one text. */
size_t es_column_name_count(const es_column* column);
const char* es_column_name(const es_column* column, uint32_t code);
/* The text of one event; "" if it lacks the field or the column has another type. */
const char* es_column_text(const es_column* column, size_t event);

/* How many events were not returned, by cause (docs/guarantees.md). Set `size`, or begin with ES_NO_LOSS. */
typedef struct es_loss {
  size_t size; /* sizeof(es_loss) */
  uint64_t discarded, torn, filtered, reduced, repeated, earlier, failed, emptied;
} es_loss;
#define ES_NO_LOSS \
  { sizeof(es_loss), 0, 0, 0, 0, 0, 0, 0, 0 }
es_status es_events_loss(const es_events* events, es_loss* loss);
/* The sources that could not be read, as sentences; NULL if there is none `index`. */
size_t es_events_missing_count(const es_events* events);
const char* es_events_missing(const es_events* events, size_t index);

/* --- recordings */

/* A file of `eventspace record`. Never changes; threads may use it at the same time. */
typedef struct es_recording es_recording;
/* Reads the events of a recording, which it may outlive, in pieces. One thread at a time. */
typedef struct es_reader es_reader;

/* ES_ENVIRONMENT if the file cannot be read or is not a recording. Damaged parts are left out. */
es_status es_recording_open(const char* file, es_recording** recording);
void es_recording_free(es_recording* recording);
const char* es_recording_session(const es_recording* recording);
const char* es_recording_pathmap(const es_recording* recording); /* its text; "" without one */
const char* es_recording_ending(
    const es_recording* recording); /* why it ended; "" if it did not end in order */
/* When recording began, and when the last events were read, in nanoseconds since 1970. */
int64_t es_recording_begin_ns(const es_recording* recording);
int64_t es_recording_end_ns(const es_recording* recording);
/* A sentence on the damage that was found so far, and the number of records that it cost; "" if there is
 * none. Valid until the calling thread's next call of this function. */
const char* es_recording_damage(const es_recording* recording, uint64_t* lost_records);
/* Reads the events that ended from `begin_ns` on and before `end_ns`. INT64_MIN and INT64_MAX: all. */
es_status es_recording_read(const es_recording* recording, int64_t begin_ns, int64_t end_ns,
                            es_reader** reader);
void es_reader_free(es_reader* reader);
/* The next piece, of at most 64 MiB of records; ES_END after the last one. Blocks while it reads the disk. */
es_status es_reader_next(es_reader* reader, es_events** events);

/* --- metrics */

/* Evaluates a metric (docs/metrics.md). May outlive its monitor; the same thread uses both. */
typedef struct es_metric es_metric;
/* The values of a reading. Never change. */
typedef struct es_samples es_samples;

typedef enum es_each ES_OF_INT { ES_AS_DEFINED = 0, ES_OBJECTS = 1, ES_PARTNERS = 2, ES_REGIONS = 3 } es_each;

/* Which metric to evaluate, and for which objects. Set `size` and `metric`, and the others to 0, or begin
 * with ES_METRIC("Imbalance"). */
typedef struct es_metric_query {
  size_t size;         /* sizeof(es_metric_query) */
  const char* metric;  /* its name */
  const char* text;    /* definitions of metrics; NULL: only those that come with EventSpace */
  const char* file;    /* a file with definitions; NULL: none */
  es_each each;        /* for which objects there is a value of their own */
  const char* objects; /* patterns of names; NULL: all */
  const char* partners;
  const char* regions;
  bool since_last; /* since the last reading instead of since the start */
  bool per_second;
} es_metric_query;
#define ES_METRIC(name) \
  { sizeof(es_metric_query), name, NULL, NULL, ES_AS_DEFINED, NULL, NULL, NULL, false, false }

/* Measuring starts now, or at the beginning of a recording. ES_CONFIGURATION for an unknown metric or faulty
 * definitions. */
es_status es_metric_open(es_monitor* monitor, const es_metric_query* query, es_metric** metric);
void es_metric_free(es_metric* metric);
const char* es_metric_name(const es_metric* metric);
const char* es_metric_unit(const es_metric* metric); /* such as "s" or "%"; "" for a plain number */
/* Reads the events until now. Blocks until all sources have answered, at most for `wait_ns`, which may be
 * ES_USUAL. Reads a recording until its end. */
es_status es_metric_read(es_metric* metric, int64_t wait_ns, es_samples** samples);
/* Only for recordings: reads until this time, in nanoseconds since 1970. Times must not fall. */
es_status es_metric_read_at(es_metric* metric, int64_t realtime_ns, es_samples** samples);
/* The number of events that the values of the last reading lack. */
uint64_t es_metric_lost(const es_metric* metric);

void es_samples_free(es_samples* samples);
size_t es_samples_size(const es_samples* samples);
/* Value `index`, NaN if it is missing; the reason why it is missing, or ""; the time of its reading; the
 * names of the objects that it is for (none: one value over all). */
double es_samples_value(const es_samples* samples, size_t index);
const char* es_samples_problem(const es_samples* samples, size_t index);
int64_t es_samples_time_ns(const es_samples* samples, size_t index);
size_t es_samples_object_count(const es_samples* samples, size_t index);
const char* es_samples_object(const es_samples* samples, size_t index, size_t object);
/* The virtual time of value `index`; false if the metric has none. */
bool es_samples_virtual_time(const es_samples* samples, size_t index, int64_t* virtual_time);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
