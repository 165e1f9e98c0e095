#pragma once

/* Programs in C, as functions: each returns NULL, or the place and condition of the first check that failed.
 */
#ifdef __cplusplus
extern "C" {
#endif

const char* use_tuples(void);
const char* use_builders(void);
const char* use_wrong_tuples(void);
const char* use_packed_tuples(void);
const char* use_nulls(void);

/* In a session of the pathmap of c_api_test.cpp, in its threads a and b. */
const char* use_operations(const char* pathmap);
const char* use_templates(const char* pathmap);
const char* use_element_of_other_types(const char* pathmap);
const char* use_closed_session(const char* pathmap);
const char* use_sessions_that_are_not_there(const char* pathmap);

/* After thread a of the session has written 1 to 3 to `progress`. */
const char* use_scope(const char* pathmap);
const char* use_query(const char* pathmap);
const char* use_recording(const char* file);
const char* use_recording_as_session(const char* file);
const char* use_metric(const char* file);

/* In the session `name`, which has no pathmap. */
const char* use_probes(const char* name);
const char* use_elements_without_pathmap(const char* name);

#ifdef __cplusplus
}
#endif
