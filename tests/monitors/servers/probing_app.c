/* A program that is linked with nothing but libc. It passes probes, says whether the library is loaded, then
   "ready PROCESS", and waits for a signal. With the argument "none" it passes no probe, with "fork" it has a
   child that does, with "end" it does not wait. */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <eventspace/probe.h>

/* Whether a library whose name contains `name` is loaded. */
static int is_loaded(const char* name) {
  char line[4096];
  int found = 0;
  FILE* const maps = fopen("/proc/self/maps", "r");
  if (maps == NULL) return -1;
  while (fgets(line, sizeof line, maps) != NULL) found |= strstr(line, name) != NULL;
  fclose(maps);
  return found;
}

static void* tick(void* number) {
  EVENTSPACE_PROBE("tick", *(int*)number);
  return NULL;
}

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "probe";
  const char* const process = getenv("EVENTSPACE_PROCESS");
  pthread_t threads[4];
  int numbers[4];
  int i;
  if (getenv("LD_PRELOAD") == NULL && is_loaded("libstdc++")) return 4;
  if (strcmp(what, "none") != 0) {
    for (i = 0; i < 4; ++i) { /* at the same time: each is one that looks for the library */
      numbers[i] = i;
      if (pthread_create(&threads[i], NULL, tick, &numbers[i]) != 0) return 5;
    }
    for (i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
    EVENTSPACE_REGION_BEGIN("solve");
    EVENTSPACE_REGION_END("solve", argc);
  }
  printf("%s\n", is_loaded("eventspace-probes") ? "loaded" : "alone");
  if (strcmp(what, "fork") == 0) {
    const pid_t child = fork();
    if (child == 0) {
      EVENTSPACE_PROBE("in the child");
      exit(0); /* with the destructors of the library */
    }
    waitpid(child, &i, 0);
    printf("child ended with %d\n", i);
  }
  printf("ready %s\n", process != NULL ? process : "alone");
  fflush(stdout);
  if (process != NULL && strcmp(what, "end") != 0) pause();
  return 0;
}
