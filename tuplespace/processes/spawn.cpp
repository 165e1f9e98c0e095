#include "tuplespace/processes/spawn.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <eventspace/error.h>

namespace eventspace {

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));  // NOLINT
  pointers.push_back(nullptr);
  return pointers;
}

Spawn::Spawn() : flags_(POSIX_SPAWN_SETSIGMASK) {
  ::posix_spawn_file_actions_init(&files_);
  ::posix_spawnattr_init(&attributes_);
  sigset_t none;
  sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes_, &none);
}

Spawn::~Spawn() {
  ::posix_spawn_file_actions_destroy(&files_);
  ::posix_spawnattr_destroy(&attributes_);
}

void Spawn::open(int descriptor, const char* file, int flags) {
  ::posix_spawn_file_actions_addopen(&files_, descriptor, file, flags, 0600);
}

void Spawn::duplicate(int original, int descriptor) {
  ::posix_spawn_file_actions_adddup2(&files_, original, descriptor);
}

void Spawn::close_from(int descriptor) { ::posix_spawn_file_actions_addclosefrom_np(&files_, descriptor); }

void Spawn::restore(const std::vector<int>& signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : signals) sigaddset(&set, number);
  ::posix_spawnattr_setsigdefault(&attributes_, &set);
  flags_ |= POSIX_SPAWN_SETSIGDEF;
}

void Spawn::restore_all() {
  sigset_t set;
  sigfillset(&set);
  ::posix_spawnattr_setsigdefault(&attributes_, &set);
  flags_ |= POSIX_SPAWN_SETSIGDEF;
}

void Spawn::lead_process_group() {
  ::posix_spawnattr_setpgroup(&attributes_, 0);
  flags_ |= POSIX_SPAWN_SETPGROUP;
}

void Spawn::lead_session() { flags_ |= POSIX_SPAWN_SETSID; }

int Spawn::start(const std::filesystem::path& program, const std::vector<std::string>& words,
                 const std::vector<std::string>& environment) {
  ::posix_spawnattr_setflags(&attributes_, static_cast<short>(flags_));
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, program.c_str(), &files_, &attributes_, pointers_to(words).data(),
                                   pointers_to(environment).data());
  if (error != 0) throw EnvironmentError::from_errno(fmt::format("cannot start {}", program.string()), error);
  return pid;
}

std::vector<std::string> own_environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.emplace_back(*variable);
  return variables;
}

}  // namespace eventspace
