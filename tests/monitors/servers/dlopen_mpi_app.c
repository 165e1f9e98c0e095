// A program that is not linked with MPI: dlopen_mpi_app LIBRARY opens it privately (RTLD_LOCAL), as
// interpreters open their plug-ins. If the library has a function plugin_run, that calls MPI; otherwise the
// program looks up MPI_Init and MPI_Finalize in it and calls them. For tests, without EventSpace and without
// an MPI.
#include <dlfcn.h>
#include <stdio.h>

static int run(void* library) {
  int (*const plugin)(void) = (int (*)(void))dlsym(library, "plugin_run");
  if (plugin != NULL) return plugin();
  int (*const init)(int*, char***) = (int (*)(int*, char***))dlsym(library, "MPI_Init");
  int (*const finalize)(void) = (int (*)(void))dlsym(library, "MPI_Finalize");
  if (init == NULL || finalize == NULL) return 3;
  return init(NULL, NULL) != 0 ? 4 : finalize();
}

int main(int argc, char** argv) {
  void* const library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (library == NULL) {
    fprintf(stderr, "%s\n", argc == 2 ? dlerror() : "expected a library");
    return 2;
  }
  const int status = run(library);
  printf("ended with %d\n", status);
  return status;
}
