/*
 * The state of the shim, and its log. Each record of the log is a line "kind number number length", and a payload of that
 * length.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

enum { most_descriptors = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool tracked[most_descriptors];
static char folder[PATH_MAX];
static int log_descriptor = -1;

static bool is_inside(const char *path) {
  size_t length = strlen(folder);
  return length > 0 && strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static bool is_tracked(int descriptor) {
  return descriptor >= 0 && descriptor < most_descriptors && tracked[descriptor];
}

static void record(const char *kind, long first, long second, const void *payload, size_t length) {
  if (log_descriptor == -1) return;
  char head[96];
  int head_length = snprintf(head, sizeof head, "%s %ld %ld %zu\n", kind, first, second, length);
  struct iovec parts[] = {{head, (size_t)head_length}, {(void *)payload, length}};
  int error = errno;
  if (NEXT(writev)(log_descriptor, parts, 2) != (ssize_t)(head_length + length)) abort();
  errno = error;
}

__attribute__((constructor)) static void start(void) {
  const char *chosen = getenv("POWER_CUT_FOLDER");
  const char *log = getenv("POWER_CUT_LOG");
  if (chosen != NULL) snprintf(folder, sizeof folder, "%s", chosen);
  if (log != NULL) log_descriptor = NEXT(open)(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  record("start", 0, 0, NULL, 0);
  /* Processes that this one starts are not recorded. */
  unsetenv("LD_PRELOAD");
}
