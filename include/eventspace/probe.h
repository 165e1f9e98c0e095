/* Probes: events that a program records by itself. This header is all that a C or C++ program needs.
 *
 *     EVENTSPACE_PROBE("iteration_end", iteration, residual);     a moment, with two values
 *
 *     EVENTSPACE_REGION_BEGIN("solve");                           a stretch of time; regions nest
 *     solve();
 *     EVENTSPACE_REGION_END("solve", steps);                      with a value
 *
 *     EVENTSPACE_REGION("solve");                                 C++: ends with the block
 *
 *     EVENTSPACE_PROBE_AT("loop_start", iteration, residual);     with its virtual time, and a value
 *     EVENTSPACE_REGION_END_AT("solve", iteration, steps);
 *
 * The virtual time is a number from 0 on that says which passages of several probes belong together, such as
 * that of the iteration. Without one the passages of each probe are counted in each thread, from its first
 * passage in the session.
 *
 * Probes are recorded in the session that the process has joined (include/eventspace/session.h), like
 * operations on paths: with the thread, two time stamps and the thread's virtual time. Without a session, and
 * with one that does not collect, a probe is a call at most, and does nothing.
 *
 * The program need not be linked with a library. The first probe looks for EventSpace, once: in the program,
 * if that is linked with it or was started with libeventspace-probes.so preloaded; else, if it was started by
 * `eventspace run` (EVENTSPACE_PATHMAP or EVENTSPACE_SESSION is set), it loads libeventspace-probes.so with
 * dlopen(3), and the process joins the session. The file is $EVENTSPACE_PROBE_LIBRARY, an absolute path,
 * which `eventspace run` sets; without it, the loader's search path. Programs with the rights of another user
 * (set-user-ID) load nothing. If that fails, probes do nothing; with EVENTSPACE_VERBOSE in the environment,
 * a line on standard error says why. With a glibc before 2.34 the program must be linked with -ldl.
 *
 * The name and the texts of the values are those of the source code. A probe has at most 8 values; each is an
 * integer, a real number or a pointer, of at most 64 bits. Regions may be nested 64 deep; deeper ones are not
 * recorded. EVENTSPACE_REGION_END ends the innermost open region of its name, and those that began after it;
 * without one it does nothing.
 *
 * Thread-safe. Recording never waits, allocates or calls the system; the first probe of a thread and the
 * first at each place in the code may. Not to be used in signal handlers.
 * In a child forked after the first probe, or after the process has joined, probes do nothing.
 */
#ifndef EVENTSPACE_PROBE_H
#define EVENTSPACE_PROBE_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

/* NOLINTBEGIN(modernize-use-nullptr,misc-definitions-in-headers): C has no nullptr; weak definitions are one.
 */
#ifdef __cplusplus
extern "C" {
#endif

/* How `bits` are to be read. The numbers are those of NumberForm (collectors/kinds/event_field.h). */
enum { eventspace_integer = 1, eventspace_natural = 2, eventspace_real = 3 };

struct eventspace_value {
  uint64_t bits;
  uint32_t form;
};

/* A place in the code. The first two members never change; the others belong to the library. */
struct eventspace_probe_site {
  const char* name;
  const char* values; /* their texts in the source: "iteration, residual" */
  uint64_t session;   /* of `number`; 0: none yet */
  uint32_t number;
};

/* The functions that the library offers to this header. Later versions append members. */
struct eventspace_probes {
  uint32_t version; /* 2 */
  void (*point)(struct eventspace_probe_site* site, const struct eventspace_value* values, size_t count);
  void (*begin)(struct eventspace_probe_site* site);
  void (*end)(struct eventspace_probe_site* site, const struct eventspace_value* values, size_t count);
  /* From version 2 on. */
  void (*point_at)(struct eventspace_probe_site* site, uint64_t virtual_time,
                   const struct eventspace_value* values, size_t count);
  void (*end_at)(struct eventspace_probe_site* site, uint64_t virtual_time,
                 const struct eventspace_value* values, size_t count);
};

/* Defined by the library; null in a program without it. Returns null if it has nothing to offer. */
__attribute__((weak)) const struct eventspace_probes* eventspace_probes_v1(void);

typedef const struct eventspace_probes* (*eventspace_source)(void);

/* What the first probe has found: null before. One for each program and shared library, which may be unloaded
 * and takes its own functions with it. */
__attribute__((weak, visibility("hidden"))) eventspace_source eventspace_found_source;

static inline const struct eventspace_probes* eventspace_no_probes(void) { return NULL; }

/* `text` may come from the environment: whatever is not printable ASCII is shown as '?'. Written at once,
 * since several threads may find out at the same time. */
static inline void eventspace_say(const char* what, const char* text) {
  char shown[2048];
  size_t i;
  if (getenv("EVENTSPACE_VERBOSE") == NULL) return;
  for (i = 0; i + 1 < sizeof shown && text[i] != '\0'; ++i)
    shown[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
  shown[i] = '\0';
  fprintf(stderr, "eventspace: probes do nothing: %s%s\n", what, shown);
}

__attribute__((cold, unused)) static eventspace_source eventspace_load_source(void) {
  const char* file = getenv("EVENTSPACE_PROBE_LIBRARY");
  void* library;
  void* symbol;
  eventspace_source source = NULL;
  if (getauxval(AT_SECURE) != 0) return NULL;
  if (getenv("EVENTSPACE_PATHMAP") == NULL && getenv("EVENTSPACE_SESSION") == NULL) return NULL;
  if (file != NULL && file[0] != '/') {
    eventspace_say("EVENTSPACE_PROBE_LIBRARY is no absolute path: ", file);
    return NULL;
  }
  library = dlopen(file != NULL ? file : "libeventspace-probes.so", RTLD_NOW | RTLD_LOCAL);
  symbol = library != NULL ? dlsym(library, "eventspace_probes_v1") : NULL;
  if (symbol == NULL) {
    const char* const error = dlerror();
    eventspace_say("", error != NULL ? error : "the library has no eventspace_probes_v1");
    return NULL;
  }
  memcpy(&source, &symbol, sizeof source); /* ISO C has no cast from a pointer to data to one to a function */
  return source;
}

/* Two threads may do this at a time: they find the same. */
__attribute__((cold, noinline, unused)) static eventspace_source eventspace_look_for_source(void) {
  eventspace_source source = eventspace_probes_v1;
  if (source == NULL) source = eventspace_load_source();
  if (source == NULL) source = eventspace_no_probes;
  __atomic_store_n(&eventspace_found_source, source, __ATOMIC_RELEASE);
  return source;
}

static inline const struct eventspace_probes* eventspace_find_probes(void) {
  eventspace_source source = __atomic_load_n(&eventspace_found_source, __ATOMIC_ACQUIRE);
  if (__builtin_expect(source == NULL, 0)) source = eventspace_look_for_source();
  return source();
}

static inline struct eventspace_value eventspace_value_of_integer(int64_t value) {
  struct eventspace_value made = {(uint64_t)value, eventspace_integer};
  return made;
}
static inline struct eventspace_value eventspace_value_of_natural(uint64_t value) {
  struct eventspace_value made = {value, eventspace_natural};
  return made;
}
static inline struct eventspace_value eventspace_value_of_real(double value) {
  struct eventspace_value made = {0, eventspace_real};
  memcpy(&made.bits, &value, sizeof value);
  return made;
}
static inline struct eventspace_value eventspace_value_of_pointer(const volatile void* value) {
  return eventspace_value_of_natural((uint64_t)(uintptr_t)value);
}

#ifdef __cplusplus
} /* extern "C" */

#include <type_traits>

template <class Value>
inline struct eventspace_value eventspace_value_of(Value value) {
  if constexpr (std::is_pointer_v<Value>) {
    return eventspace_value_of_pointer(value);
  } else if constexpr (std::is_floating_point_v<Value>) {
    return eventspace_value_of_real(static_cast<double>(value));
  } else if constexpr (std::is_enum_v<Value>) {
    return eventspace_value_of(static_cast<std::underlying_type_t<Value>>(value));
  } else {
    static_assert(std::is_integral_v<Value>,
                  "a value of an EVENTSPACE_PROBE is an integer, a real number or a pointer");
    if constexpr (std::is_signed_v<Value>) {
      return eventspace_value_of_integer(value);
    } else {
      return eventspace_value_of_natural(value);
    }
  }
}

struct eventspace_open_region {
  explicit eventspace_open_region(struct eventspace_probe_site* opened) : site(opened) {
    if (const eventspace_probes* const probes = eventspace_find_probes()) probes->begin(site);
  }
  ~eventspace_open_region() {
    if (const eventspace_probes* const probes = eventspace_find_probes()) probes->end(site, nullptr, 0);
  }
  eventspace_open_region(const eventspace_open_region&) = delete;
  eventspace_open_region& operator=(const eventspace_open_region&) = delete;
  struct eventspace_probe_site* site;
};

#define EVENTSPACE_JOINED_(a, b) a##b
#define EVENTSPACE_JOINED(a, b) EVENTSPACE_JOINED_(a, b)
#define EVENTSPACE_REGION(name)                                                                         \
  static struct eventspace_probe_site EVENTSPACE_JOINED(eventspace_site_, __LINE__) = {name, "", 0, 0}; \
  const struct eventspace_open_region EVENTSPACE_JOINED(                                                \
      eventspace_region_, __LINE__)(&EVENTSPACE_JOINED(eventspace_site_, __LINE__))
#else
#define eventspace_value_of(value)                           \
  _Generic((value), float                                    \
           : eventspace_value_of_real, double                \
           : eventspace_value_of_real, long double           \
           : eventspace_value_of_real, _Bool                 \
           : eventspace_value_of_natural, unsigned char      \
           : eventspace_value_of_natural, unsigned short     \
           : eventspace_value_of_natural, unsigned int       \
           : eventspace_value_of_natural, unsigned long      \
           : eventspace_value_of_natural, unsigned long long \
           : eventspace_value_of_natural, char               \
           : eventspace_value_of_integer, signed char        \
           : eventspace_value_of_integer, short              \
           : eventspace_value_of_integer, int                \
           : eventspace_value_of_integer, long               \
           : eventspace_value_of_integer, long long          \
           : eventspace_value_of_integer, default            \
           : eventspace_value_of_pointer)(value)
#endif

/* Applies eventspace_value_of to up to 8 arguments. A ninth makes the code not compile. */
#define EVENTSPACE_VALUES_1(a) eventspace_value_of(a)
#define EVENTSPACE_VALUES_2(a, ...) eventspace_value_of(a), EVENTSPACE_VALUES_1(__VA_ARGS__)
#define EVENTSPACE_VALUES_3(a, ...) eventspace_value_of(a), EVENTSPACE_VALUES_2(__VA_ARGS__)
#define EVENTSPACE_VALUES_4(a, ...) eventspace_value_of(a), EVENTSPACE_VALUES_3(__VA_ARGS__)
#define EVENTSPACE_VALUES_5(a, ...) eventspace_value_of(a), EVENTSPACE_VALUES_4(__VA_ARGS__)
#define EVENTSPACE_VALUES_6(a, ...) eventspace_value_of(a), EVENTSPACE_VALUES_5(__VA_ARGS__)
#define EVENTSPACE_VALUES_7(a, ...) eventspace_value_of(a), EVENTSPACE_VALUES_6(__VA_ARGS__)
#define EVENTSPACE_VALUES_8(a, ...) eventspace_value_of(a), EVENTSPACE_VALUES_7(__VA_ARGS__)
#define EVENTSPACE_NINTH(a, b, c, d, e, f, g, h, chosen, ...) chosen
#define EVENTSPACE_VALUES(...)                                                                         \
  EVENTSPACE_NINTH(__VA_ARGS__, EVENTSPACE_VALUES_8, EVENTSPACE_VALUES_7, EVENTSPACE_VALUES_6,         \
                   EVENTSPACE_VALUES_5, EVENTSPACE_VALUES_4, EVENTSPACE_VALUES_3, EVENTSPACE_VALUES_2, \
                   EVENTSPACE_VALUES_1, unused)                                                        \
  (__VA_ARGS__)

/* The first value is always there and is skipped: so that a probe without values needs no other macro. */
#define EVENTSPACE_RECORD(function, name, texts, ...)                                       \
  do {                                                                                      \
    const struct eventspace_probes* const eventspace_found = eventspace_find_probes();      \
    if (eventspace_found != NULL) {                                                         \
      static struct eventspace_probe_site eventspace_site = {name, texts, 0, 0};            \
      const struct eventspace_value eventspace_given[] = {__VA_ARGS__};                     \
      eventspace_found->function(&eventspace_site, eventspace_given + 1,                    \
                                 sizeof eventspace_given / sizeof eventspace_given[0] - 1); \
    }                                                                                       \
  } while (0)
#define EVENTSPACE_NO_VALUE eventspace_value_of_natural(0)

#define EVENTSPACE_PROBE(name, ...)            \
  EVENTSPACE_RECORD(point, name, #__VA_ARGS__, \
                    EVENTSPACE_NO_VALUE __VA_OPT__(, EVENTSPACE_VALUES(__VA_ARGS__)))
#define EVENTSPACE_REGION_END(name, ...) \
  EVENTSPACE_RECORD(end, name, #__VA_ARGS__, EVENTSPACE_NO_VALUE __VA_OPT__(, EVENTSPACE_VALUES(__VA_ARGS__)))
/* A library of version 1 records the event without its virtual time. */
#define EVENTSPACE_RECORD_AT(function, name, virtual_time, texts, ...)                           \
  do {                                                                                           \
    const struct eventspace_probes* const eventspace_found = eventspace_find_probes();           \
    if (eventspace_found != NULL) {                                                              \
      static struct eventspace_probe_site eventspace_site = {name, texts, 0, 0};                 \
      const uint64_t eventspace_time = (uint64_t)(virtual_time);                                 \
      const struct eventspace_value eventspace_given[] = {__VA_ARGS__};                          \
      const size_t eventspace_count = sizeof eventspace_given / sizeof eventspace_given[0] - 1;  \
      if (eventspace_found->version >= 2)                                                        \
        eventspace_found->function##_at(&eventspace_site, eventspace_time, eventspace_given + 1, \
                                        eventspace_count);                                       \
      else                                                                                       \
        eventspace_found->function(&eventspace_site, eventspace_given + 1, eventspace_count);    \
    }                                                                                            \
  } while (0)
#define EVENTSPACE_PROBE_AT(name, virtual_time, ...)            \
  EVENTSPACE_RECORD_AT(point, name, virtual_time, #__VA_ARGS__, \
                       EVENTSPACE_NO_VALUE __VA_OPT__(, EVENTSPACE_VALUES(__VA_ARGS__)))
#define EVENTSPACE_REGION_END_AT(name, virtual_time, ...)     \
  EVENTSPACE_RECORD_AT(end, name, virtual_time, #__VA_ARGS__, \
                       EVENTSPACE_NO_VALUE __VA_OPT__(, EVENTSPACE_VALUES(__VA_ARGS__)))
#define EVENTSPACE_REGION_BEGIN(name)                                                  \
  do {                                                                                 \
    const struct eventspace_probes* const eventspace_found = eventspace_find_probes(); \
    if (eventspace_found != NULL) {                                                    \
      static struct eventspace_probe_site eventspace_site = {name, "", 0, 0};          \
      eventspace_found->begin(&eventspace_site);                                       \
    }                                                                                  \
  } while (0)

/* NOLINTEND(modernize-use-nullptr,misc-definitions-in-headers) */

#endif
