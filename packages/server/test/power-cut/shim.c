/*
 * Records what a process does to the files of one folder, and can make its flushes fail. Loaded with LD_PRELOAD.
 *
 * POWER_CUT_FOLDER         the folder: absolute, without symbolic links, flat.
 * POWER_CUT_LOG            the file to which the operations are appended, outside of the folder. Default: not recorded.
 * POWER_CUT_FAILED_FLUSHES "3-5": the third to the fifth flush of a file fail with EIO. "3-5 name": of the file with this name. A
 *                          changed value starts the count again, so a process can set it while it runs.
 *
 * One lock covers each operation and its record, so the log has the order of the operations. No flush reaches the disk.
 * For 64-bit Linux, where the functions that end in 64 are the same as those without.
 */
#define _GNU_SOURCE
#include "recorder.h"

#include <linux/fs.h>
#include <stdarg.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Opening and closing */

static int opened(int descriptor, const char *path, int flags) {
  if (descriptor >= most_descriptors) abort();
  if (descriptor >= 0) {
    tracked[descriptor] = true;
    record("open", descriptor, flags, path, strlen(path));
  }
  return descriptor;
}

int open(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t mode = va_arg(more, mode_t);
  va_end(more);
  if (!is_inside(path)) return NEXT(open)(path, flags, mode);
  pthread_mutex_lock(&lock);
  int result = opened(NEXT(open)(path, flags, mode), path, flags);
  pthread_mutex_unlock(&lock);
  return result;
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int close(int descriptor) {
  if (!is_tracked(descriptor)) return NEXT(close)(descriptor);
  pthread_mutex_lock(&lock);
  tracked[descriptor] = false;
  record("close", descriptor, 0, NULL, 0);
  int result = NEXT(close)(descriptor);
  pthread_mutex_unlock(&lock);
  return result;
}

/* Content */

/* Writes at an offset, or at the position of the descriptor if the offset is -1. */
static ssize_t write_at(int descriptor, const void *bytes, size_t length, off_t offset) {
  pthread_mutex_lock(&lock);
  ssize_t written = offset == -1 ? NEXT(write)(descriptor, bytes, length) : NEXT(pwrite)(descriptor, bytes, length, offset);
  if (written > 0) {
    off_t from = offset == -1 ? lseek(descriptor, 0, SEEK_CUR) - written : offset;
    record("write", descriptor, from, bytes, (size_t)written);
  }
  pthread_mutex_unlock(&lock);
  return written;
}

ssize_t write(int descriptor, const void *bytes, size_t length) {
  return is_tracked(descriptor) ? write_at(descriptor, bytes, length, -1) : NEXT(write)(descriptor, bytes, length);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset) {
  return is_tracked(descriptor) ? write_at(descriptor, bytes, length, offset)
                                : NEXT(pwrite)(descriptor, bytes, length, offset);
}

ssize_t pwrite64(int, const void *, size_t, off64_t) __attribute__((alias("pwrite")));

int ftruncate(int descriptor, off_t length) {
  if (!is_tracked(descriptor)) return NEXT(ftruncate)(descriptor, length);
  pthread_mutex_lock(&lock);
  int result = NEXT(ftruncate)(descriptor, length);
  if (result == 0) record("truncate", descriptor, length, NULL, 0);
  pthread_mutex_unlock(&lock);
  return result;
}

int ftruncate64(int, off64_t) __attribute__((alias("ftruncate")));

/* Copies inside of the kernel fail, so that the caller copies with reads and writes, which are recorded. */

ssize_t sendfile(int to, int from, off_t *offset, size_t length) {
  if (!is_tracked(to)) return NEXT(sendfile)(to, from, offset, length);
  errno = EINVAL;
  return -1;
}

ssize_t sendfile64(int, int, off64_t *, size_t) __attribute__((alias("sendfile")));

int ioctl(int descriptor, unsigned long request, ...) {
  va_list more;
  va_start(more, request);
  void *argument = va_arg(more, void *);
  va_end(more);
  if (request != FICLONE || !is_tracked(descriptor)) return NEXT(ioctl)(descriptor, request, argument);
  errno = EOPNOTSUPP;
  return -1;
}

long syscall(long number, ...) {
  va_list more;
  va_start(more, number);
  long a = va_arg(more, long), b = va_arg(more, long), c = va_arg(more, long);
  long d = va_arg(more, long), e = va_arg(more, long), f = va_arg(more, long);
  va_end(more);
  if (number != SYS_copy_file_range || !is_tracked((int)c)) return NEXT(syscall)(number, a, b, c, d, e, f);
  errno = ENOSYS;
  return -1;
}

/* Flushes */

static bool is_folder(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool has_name(int descriptor, const char *name) {
  char link[64], path[PATH_MAX] = "";
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  if (readlink(link, path, sizeof path - 1) < 0) abort();
  const char *base = strrchr(path, '/');
  return base != NULL && strcmp(base + 1, name) == 0;
}

/* SQLite ignores failed flushes of folders: https://www.sqlite.org/src/file/src/os_unix.c */
static bool fails(int descriptor) {
  static char current[64];
  static long count;
  const char *range = getenv("POWER_CUT_FAILED_FLUSHES");
  if (range == NULL) range = "";
  if (strncmp(range, current, sizeof current - 1) != 0) {
    snprintf(current, sizeof current, "%s", range);
    count = 0;
  }
  long first, last;
  char name[sizeof current];
  int fields = sscanf(current, "%ld-%ld %63s", &first, &last, name);
  if (fields < 2 || is_folder(descriptor) || (fields == 3 && !has_name(descriptor, name))) return false;
  count += 1;
  return first <= count && count <= last;
}

static int flush(int descriptor) {
  pthread_mutex_lock(&lock);
  bool failed = fails(descriptor);
  record("flush", descriptor, !failed, NULL, 0);
  pthread_mutex_unlock(&lock);
  if (failed) errno = EIO;
  return failed ? -1 : 0;
}

int fsync(int descriptor) { return is_tracked(descriptor) ? flush(descriptor) : NEXT(fsync)(descriptor); }
int fdatasync(int descriptor) { return is_tracked(descriptor) ? flush(descriptor) : NEXT(fdatasync)(descriptor); }

/* Names */

static int remove_name(int at, const char *path, int flags) {
  if (!is_inside(path)) return NEXT(unlinkat)(at, path, flags);
  pthread_mutex_lock(&lock);
  int result = NEXT(unlinkat)(at, path, flags);
  if (result == 0) record("unlink", 0, 0, path, strlen(path));
  pthread_mutex_unlock(&lock);
  return result;
}

int unlink(const char *path) { return remove_name(AT_FDCWD, path, 0); }
int unlinkat(int at, const char *path, int flags) { return remove_name(at, path, flags); }

int remove(const char *path) {
  return is_inside(path) && strcmp(path, folder) != 0 ? unlink(path) : NEXT(remove)(path);
}

#define TWO_NAMES(name)                                                           \
  int name(const char *from, const char *to) {                                    \
    if (!is_inside(to)) return NEXT(name)(from, to);                              \
    pthread_mutex_lock(&lock);                                                    \
    int result = NEXT(name)(from, to);                                            \
    char names[2 * PATH_MAX];                                                     \
    int length = snprintf(names, sizeof names, "%s%c%s", from, '\0', to);         \
    if (result == 0) record(#name, 0, 0, names, (size_t)length);                  \
    pthread_mutex_unlock(&lock);                                                  \
    return result;                                                                \
  }
TWO_NAMES(rename)
TWO_NAMES(link)
