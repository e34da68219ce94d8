// SPDX-License-Identifier: BSD-3-Clause
// Faults at the calls by which a process changes files below a folder: preloaded, armed by faults_arm().
//
// Calls on paths elsewhere, and all calls before arming, go to the system as they are. From then on calls are counted,
// over this process and those that it forks, and the one with a given number fails, with all that need room after it if
// the disk is full. A close closes the file also when it fails, and what is removed makes no room.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <string>
#include <utility>

namespace {

enum class Fault : int { none, kill, full, broken, partial, interrupted, budget };

constexpr int most_entries = 4096, entry_size = 160;

struct Shared {  // by this process and those that it forks
  std::atomic<long> calls;
  std::atomic<long> bytes;
  std::atomic<int> is_full;
  char log[most_entries][entry_size];  // the name of each call, and the path that it is for
};

Shared* shared = nullptr;
std::string folder;  // NOLINT: empty as long as nothing is armed
Fault fault = Fault::none;
long fault_at = 0;  // the number of the call, from 1 on; for Fault::budget of bytes

template <typename Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

// --- which paths count -----------------------------------------------------------------------------------------------

std::string path_of(int descriptor) {
  char found[4096];
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t length = readlink(link.c_str(), found, sizeof found);
  return length < 0 ? "" : std::string(found, static_cast<std::size_t>(length));
}

std::string path_of(const char* path, int parent = AT_FDCWD) {
  if (path == nullptr || *path == '/') return path == nullptr ? "" : path;
  if (parent != AT_FDCWD) return path_of(parent) + "/" + path;
  char here[4096];
  return getcwd(here, sizeof here) == nullptr ? path : std::string(here) + "/" + path;
}

bool is_below(const std::string& path) {
  return !folder.empty() && path.compare(0, folder.size(), folder) == 0 &&
         (path.size() == folder.size() || path[folder.size()] == '/');
}

// --- what happens to a call ------------------------------------------------------------------------------------------

enum class Kind { write, open, sync, resize, close, other, remove };

void kill_all() {  // with the processes that it forked, as when the power fails
  kill(0, SIGKILL);
  for (;;) pause();
}

long counted(const char* name, const std::string& path) {
  const long number = ++shared->calls;
  if (number <= most_entries) snprintf(shared->log[number - 1], entry_size, "%s %s", name, path.c_str());
  return number;
}

// The errno that a call fails with; 0: it works.
int error_of(Kind kind, long number) {
  const bool is_it = number == fault_at;
  switch (fault) {
    case Fault::full:
      if (is_it) shared->is_full = 1;
      return shared->is_full != 0 && (is_it ? kind != Kind::remove : kind < Kind::close) ? ENOSPC : 0;
    case Fault::broken: return is_it ? EIO : 0;
    case Fault::interrupted: return is_it && kind < Kind::close ? EINTR : 0;
    default: return 0;
  }
}

// Whether a call goes on; otherwise errno says why not.
bool passes(const char* name, Kind kind, const std::string& path) {
  if (!is_below(path)) return true;
  const long number = counted(name, path);
  if (fault == Fault::kill && number == fault_at) kill_all();
  const int error = error_of(kind, number);
  if (error != 0) errno = error;
  return error == 0;
}

// How many of so many bytes are written now; none: errno says why. `is_last`: the process is killed then.
std::size_t allowed(const char* name, int descriptor, std::size_t size, bool& is_last) {
  const std::string path = path_of(descriptor);
  if (!is_below(path) || size == 0) return size;
  const long number = counted(name, path);
  if (fault == Fault::budget) {
    const long left = std::max(0L, fault_at - shared->bytes.fetch_add(static_cast<long>(size)));
    errno = ENOSPC;
    return std::min(size, static_cast<std::size_t>(left));
  }
  is_last = fault == Fault::kill && number == fault_at;
  if (is_last) return size / 2;
  if (fault == Fault::partial && number == fault_at) return (size + 1) / 2;
  const int error = error_of(Kind::write, number);
  if (error != 0) errno = error;
  return error == 0 ? size : 0;
}

template <typename Write>
ssize_t written(const char* name, int descriptor, std::size_t size, Write write) {
  bool is_last = false;
  const std::size_t most = allowed(name, descriptor, size, is_last);
  const ssize_t done = most == 0 && size > 0 ? -1 : write(most);
  if (is_last) kill_all();
  return done;
}

template <typename Function, typename... Arguments>
int checked(const char* name, Kind kind, const std::string& path, Arguments... arguments) {
  return passes(name, kind, path) ? real<Function>(name)(arguments...) : -1;
}

bool is_writing(int flags) { return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0; }

int opened(const char* name, int parent, const char* path, int flags, mode_t mode) {
  if (is_writing(flags) && !passes(name, Kind::open, path_of(path, parent))) return -1;
  if (strncmp(name, "openat", 6) == 0) return real<int(int, const char*, int, ...)>(name)(parent, path, flags, mode);
  return real<int(const char*, int, ...)>(name)(path, flags, mode);
}

int reserved(const char* name, int descriptor, off_t from, off_t size) {  // tells errors by what it returns
  if (!passes(name, Kind::resize, path_of(descriptor))) return errno;
  return real<int(int, off_t, off_t)>(name)(descriptor, from, size);
}

int closed(int descriptor) {
  const int flags = folder.empty() ? O_RDONLY : fcntl(descriptor, F_GETFL);
  const bool works = flags < 0 || !is_writing(flags) || passes("close", Kind::close, path_of(descriptor));
  const int error = errno, done = real<int(int)>("close")(descriptor);
  if (!works) errno = error;
  return works ? done : -1;
}

mode_t mode_of(int flags, va_list more) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? static_cast<mode_t>(va_arg(more, int)) : 0;
}

}  // namespace

extern "C" {

// --- for the tests ---------------------------------------------------------------------------------------------------

void faults_arm(const char* below, int kind, long at) {
  void* made = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  shared = new (made) Shared{};
  fault = static_cast<Fault>(kind);
  fault_at = at;
  folder = below;
}

void faults_disarm() { folder.clear(); }

long faults_calls() { return shared->calls; }

const char* faults_call(long number) { return shared->log[number]; }  // from 0 on

// --- instead of the system's -----------------------------------------------------------------------------------------

ssize_t write(int descriptor, const void* data, size_t size) {
  return written("write", descriptor, size, [=](std::size_t most) {
    return real<ssize_t(int, const void*, size_t)>("write")(descriptor, data, most);
  });
}

ssize_t pwrite(int descriptor, const void* data, size_t size, off_t at) {
  return written("pwrite", descriptor, size, [=](std::size_t most) {
    return real<ssize_t(int, const void*, size_t, off_t)>("pwrite")(descriptor, data, most, at);
  });
}

ssize_t pwrite64(int descriptor, const void* data, size_t size, off_t at) { return pwrite(descriptor, data, size, at); }

ssize_t writev(int descriptor, const iovec* parts, int count) {  // one part after another: fewer bytes are a short write
  const iovec* first = std::find_if(parts, parts + count, [](const iovec& part) { return part.iov_len > 0; });
  return first == parts + count ? 0 : write(descriptor, first->iov_base, first->iov_len);
}

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return opened("open", AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return opened("open64", AT_FDCWD, path, flags, mode);
}

int openat(int parent, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return opened("openat", parent, path, flags, mode);
}

int openat64(int parent, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return opened("openat64", parent, path, flags, mode);
}

int close(int descriptor) { return closed(descriptor); }

int fsync(int descriptor) { return checked<int(int)>("fsync", Kind::sync, path_of(descriptor), descriptor); }
int fdatasync(int descriptor) { return checked<int(int)>("fdatasync", Kind::sync, path_of(descriptor), descriptor); }

int ftruncate(int descriptor, off_t size) {
  return checked<int(int, off_t)>("ftruncate", Kind::resize, path_of(descriptor), descriptor, size);
}
int ftruncate64(int descriptor, off_t size) { return ftruncate(descriptor, size); }
int truncate(const char* path, off_t size) {
  return checked<int(const char*, off_t)>("truncate", Kind::resize, path_of(path), path, size);
}
int truncate64(const char* path, off_t size) { return truncate(path, size); }

int posix_fallocate(int descriptor, off_t from, off_t size) {
  return reserved("posix_fallocate", descriptor, from, size);
}
int posix_fallocate64(int descriptor, off_t from, off_t size) {
  return reserved("posix_fallocate64", descriptor, from, size);
}

int rename(const char* old, const char* path) {
  return checked<int(const char*, const char*)>("rename", Kind::other, path_of(path), old, path);
}
int renameat(int parent, const char* old, int folder_of, const char* path) {
  return checked<int(int, const char*, int, const char*)>("renameat", Kind::other, path_of(path, folder_of), parent,
                                                          old, folder_of, path);
}
int linkat(int parent, const char* old, int folder_of, const char* path, int flags) {
  return checked<int(int, const char*, int, const char*, int)>("linkat", Kind::other, path_of(path, folder_of), parent,
                                                               old, folder_of, path, flags);
}
int mkdir(const char* path, mode_t mode) {
  return checked<int(const char*, mode_t)>("mkdir", Kind::other, path_of(path), path, mode);
}
int chmod(const char* path, mode_t mode) {
  return checked<int(const char*, mode_t)>("chmod", Kind::other, path_of(path), path, mode);
}
int fchmod(int descriptor, mode_t mode) {
  return checked<int(int, mode_t)>("fchmod", Kind::other, path_of(descriptor), descriptor, mode);
}
int unlink(const char* path) {
  return checked<int(const char*)>("unlink", Kind::remove, path_of(path), path);
}
int unlinkat(int parent, const char* path, int flags) {
  return checked<int(int, const char*, int)>("unlinkat", Kind::remove, path_of(path, parent), parent, path, flags);
}
int rmdir(const char* path) {
  return checked<int(const char*)>("rmdir", Kind::remove, path_of(path), path);
}

}  // extern "C"
