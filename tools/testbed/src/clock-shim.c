/*
 * Moves the wall clock of a process, and leaves its monotonic clock alone. Loaded with LD_PRELOAD.
 *
 * TESTBED_CLOCK_FILE  a file with 8 bytes: the seconds to add to the wall clock, a signed integer in the byte order of the
 *                    machine. The file is mapped, so another process can change it at any time.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static volatile const int64_t *offset;
static int (*next_clock_gettime)(clockid_t, struct timespec *);
static int (*next_gettimeofday)(struct timeval *, void *);

__attribute__((constructor)) static void load(void) {
  next_clock_gettime = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  next_gettimeofday = (int (*)(struct timeval *, void *))dlsym(RTLD_NEXT, "gettimeofday");
  const char *path = getenv("TESTBED_CLOCK_FILE");
  int file = path == NULL ? -1 : open(path, O_RDONLY);
  void *mapped = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *offset, PROT_READ, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) abort();
  offset = mapped;
}

int clock_gettime(clockid_t clock, struct timespec *at) {
  if (next_clock_gettime == NULL) load();
  int result = next_clock_gettime(clock, at);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) at->tv_sec += *offset;
  return result;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  if (next_gettimeofday == NULL) load();
  int result = next_gettimeofday(at, zone);
  if (result == 0 && at != NULL) at->tv_sec += *offset;
  return result;
}

time_t time(time_t *at) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (at != NULL) *at = now.tv_sec;
  return now.tv_sec;
}
