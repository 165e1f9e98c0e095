// A shared object that has nothing to do with scopes.
extern "C" __attribute__((visibility("default"))) int eventspace_tests_other_function() { return 1; }
