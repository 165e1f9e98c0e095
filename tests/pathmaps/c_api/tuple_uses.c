#include <limits.h>

#include "check.h"
#include "uses.h"

const char* use_tuples(void) {
  es_tuple* tuple = NULL;
  CHECK(es_tuple_make(&tuple, "b i l f t y", 1, -7, INT64_MIN, 2.5, "wheel", "\0\1", (size_t)2) == ES_OK);
  CHECK(es_tuple_size(tuple) == 6);
  CHECK(es_tuple_type(tuple, 0) == ES_BOOL && es_tuple_type(tuple, 2) == ES_INT);
  CHECK(es_tuple_type(tuple, 5) == ES_BYTES && es_tuple_type(tuple, 6) == ES_NO_TYPE);
  CHECK(es_tuple_sequence(tuple) == 0);

  bool truth = false;
  int small = 0;
  int64_t large = 0;
  double real = 0;
  const char* text = NULL;
  const void* bytes = NULL;
  size_t length = 0;
  CHECK(es_tuple_get(tuple, "bilfty", &truth, &small, &large, &real, &text, &bytes, &length) == ES_OK);
  CHECK(truth && small == -7 && large == INT64_MIN && real == 2.5);
  CHECK(strcmp(text, "wheel") == 0);
  CHECK(length == 2 && memcmp(bytes, "\0\1", 2) == 0);

  const char* again = NULL;
  CHECK(es_tuple_text(tuple, 4, &again, &length) == ES_OK);
  CHECK(again == text && length == 5);
  CHECK(es_tuple_get(tuple, "bilfty", NULL, &small, NULL, NULL, NULL, NULL, &length) == ES_OK);
  es_tuple_free(tuple);

  CHECK(es_tuple_make(&tuple, "") == ES_OK);
  CHECK(es_tuple_size(tuple) == 0);
  es_tuple_free(tuple);
  return NULL;
}

const char* use_builders(void) {
  es_builder* builder = NULL;
  CHECK(es_builder_new(&builder) == ES_OK);
  CHECK(es_builder_add_bool(builder, true) == ES_OK);
  CHECK(es_builder_add_int(builder, 5) == ES_OK);
  CHECK(es_builder_add_float(builder, -1.5) == ES_OK);
  CHECK(es_builder_add_text(builder, "axle") == ES_OK);
  CHECK(es_builder_add_bytes(builder, NULL, 0) == ES_OK);
  es_tuple* tuple = NULL;
  CHECK(es_builder_copy(builder, &tuple) == ES_OK && es_tuple_size(tuple) == 5);
  es_tuple_free(tuple);
  CHECK(es_builder_tuple(builder, &tuple) == ES_OK); /* it has kept them */

  bool truth = false;
  int64_t number = 0;
  double real = 0;
  const char* text = NULL;
  const void* bytes = NULL;
  size_t length = 7;
  CHECK(es_tuple_bool(tuple, 0, &truth) == ES_OK && truth);
  CHECK(es_tuple_int(tuple, 1, &number) == ES_OK && number == 5);
  CHECK(es_tuple_float(tuple, 2, &real) == ES_OK && real == -1.5);
  CHECK(es_tuple_text(tuple, 3, &text, NULL) == ES_OK && strcmp(text, "axle") == 0);
  CHECK(es_tuple_bytes(tuple, 4, &bytes, &length) == ES_OK && length == 0);
  es_tuple_free(tuple);

  CHECK(es_builder_tuple(builder, &tuple) == ES_OK); /* it is empty again */
  CHECK(es_tuple_size(tuple) == 0);
  es_tuple_free(tuple);

  CHECK(es_builder_add_text_of_length(builder, "a\0b, and more", 3) == ES_OK);
  CHECK(es_builder_add_text_of_length(builder, NULL, 0) == ES_OK);
  CHECK(es_builder_tuple(builder, &tuple) == ES_OK);
  CHECK(es_tuple_text(tuple, 0, &text, &length) == ES_OK && length == 3 && memcmp(text, "a\0b", 4) == 0);
  CHECK(es_tuple_text(tuple, 1, &text, &length) == ES_OK && length == 0 && text[0] == '\0');
  es_tuple_free(tuple);

  CHECK(es_builder_add_any(builder, ES_INT) == ES_OK);
  CHECK_FAILS(es_builder_tuple(builder, &tuple), ES_CONFIGURATION, "it is for a template");
  CHECK(tuple == NULL);
  es_template* made = NULL;
  CHECK(es_builder_template(builder, &made) == ES_OK); /* the failed call has kept the field */
  es_template_free(made);
  CHECK_FAILS(es_builder_add_any(builder, (es_type)9), ES_CONFIGURATION, "unknown type 9");
  es_builder_free(builder);
  return NULL;
}

const char* use_wrong_tuples(void) {
  es_tuple* tuple = NULL;
  CHECK_FAILS(es_tuple_make(&tuple, "ix", 1, 2), ES_CONFIGURATION, "unknown letter 'x'");
  CHECK(tuple == NULL);
  CHECK_FAILS(es_tuple_make(&tuple, "t", (const char*)NULL), ES_MISUSE, "a text is NULL");

  CHECK(es_tuple_make(&tuple, "lt", (int64_t)INT_MAX + 1, "wheel") == ES_OK);
  int small = 3;
  int64_t large = 3;
  const char* text = NULL;
  CHECK_FAILS(es_tuple_get(tuple, "it", &small, &text), ES_CONFIGURATION, "too large for an int");
  CHECK_FAILS(es_tuple_get(tuple, "ll", &large, &large), ES_CONFIGURATION, "the tuple is (int, text)");
  CHECK_FAILS(es_tuple_get(tuple, "l", &large), ES_CONFIGURATION, "the format has 1 fields");
  CHECK(small == 3 && large == 3 && text == NULL); /* nothing was stored */
  int32_t number = 3;
  CHECK_FAILS(es_tuple_int32(tuple, 0, &number), ES_CONFIGURATION, "is 2147483648, which is too large");
  CHECK(es_tuple_int32(tuple, 1, &number) == ES_CONFIGURATION && number == 3);

  double real = 0;
  const void* bytes = NULL;
  size_t length = 0;
  CHECK(es_tuple_float(tuple, 0, &real) == ES_CONFIGURATION);
  CHECK(es_tuple_bytes(tuple, 1, &bytes, &length) == ES_CONFIGURATION);
  CHECK(es_tuple_text(tuple, 0, &text, NULL) == ES_CONFIGURATION);
  CHECK(es_tuple_int(tuple, 2, &large) == ES_CONFIGURATION);
  es_tuple_free(tuple);

  es_template* made = NULL;
  CHECK_FAILS(es_template_make(&made, "i="), ES_CONFIGURATION, "ends with '='");
  CHECK_FAILS(es_template_make(&made, "i=q"), ES_CONFIGURATION, "unknown letter 'q'");
  CHECK(made == NULL);
  return NULL;
}

const char* use_packed_tuples(void) {
  es_tuple* parts[3] = {NULL, NULL, NULL};
  for (int i = 0; i < 3; ++i) CHECK(es_tuple_make(&parts[i], "i", i) == ES_OK);
  es_tuple* packed = NULL;
  CHECK(es_tuple_pack((const es_tuple* const*)parts, 3, &packed) == ES_OK);
  CHECK(es_tuple_size(packed) == 1 && es_tuple_type(packed, 0) == ES_BYTES);

  es_tuple* none = NULL;
  const es_tuple* const last_is_null[2] = {parts[0], NULL};
  CHECK_FAILS(es_tuple_pack(last_is_null, 2, &none), ES_MISUSE, "a tuple is NULL");
  CHECK_FAILS(es_tuple_pack(last_is_null, SIZE_MAX, &none), ES_NO_MEMORY, "too large");
  CHECK(none == NULL);

  es_tuple* unpacked[3] = {NULL, NULL, NULL};
  size_t count = 0;
  CHECK_FAILS(es_tuple_unpack(packed, unpacked, 2, &count), ES_MISUSE, "there are 3");
  CHECK(count == 3 && unpacked[0] == NULL);
  CHECK(es_tuple_unpack(packed, unpacked, 3, &count) == ES_OK);
  int last = 0;
  CHECK(es_tuple_get(unpacked[2], "i", &last) == ES_OK && last == 2);
  CHECK(es_tuple_unpack(parts[0], unpacked, 3, &count) == ES_CONFIGURATION);
  for (int i = 0; i < 3; ++i) {
    es_tuple_free(parts[i]);
    es_tuple_free(unpacked[i]);
  }
  es_tuple_free(packed);
  return NULL;
}
