#pragma once

#include <eventspace.h>
#include <stdio.h>
#include <string.h>

/* Ends a function of uses.h unless the condition holds. */
#define CHECK(condition)                                                                           \
  do {                                                                                             \
    static char failed[512];                                                                       \
    if (!(condition)) {                                                                            \
      snprintf(failed, sizeof failed, "%s:%d: %s; last error: %s", __FILE__, __LINE__, #condition, \
               es_error_text());                                                                   \
      return failed;                                                                               \
    }                                                                                              \
  } while (0)

/* That the call fails in this way, and that its text has these words. */
#define CHECK_FAILS(call, status, words)             \
  do {                                               \
    CHECK((call) == (status));                       \
    CHECK(strstr(es_error_text(), (words)) != NULL); \
  } while (0)
