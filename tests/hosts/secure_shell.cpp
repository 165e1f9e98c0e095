#include "tests/hosts/secure_shell.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <shadow.h>
#include <signal.h>

#include <fstream>

#include "tests/monitors/workplace.h"

namespace eventspace::testing_hosts {
namespace {

namespace fs = std::filesystem;
using testing_commands::read_text;

constexpr const char* program = "/usr/sbin/sshd";
constexpr int port = 2222;

// Without PAM, sshd refuses logins to a locked account.
bool is_root_locked() {
  const spwd* const entry = ::getspnam("root");
  return entry != nullptr && entry->sp_pwdp != nullptr && entry->sp_pwdp[0] == '!';
}

}  // namespace

SecureShells::SecureShells(fs::path directory, HostsGround& hosts)
    : directory_(std::move(directory)), hosts_(&hosts) {
  if (!fs::exists(program)) throw NotPermitted("there is no sshd here: Debian package openssh-server");
  if (is_root_locked()) throw NotPermitted("the account of root is locked: sshd would let nobody in");
  fs::create_directories("/run/sshd");
  fs::create_directories(directory_);
  make_key("host");
  make_key("ours");
  make_key("another");
  std::ofstream(file("client")) << fmt::format(
      "Port {}\nUser root\nBatchMode yes\nIdentityFile {}\nIdentitiesOnly yes\nIdentityAgent none\n"
      "UserKnownHostsFile {}\nGlobalKnownHostsFile none\nStrictHostKeyChecking yes\n",
      port, file("ours").string(), file("known").string());
}

SecureShells::~SecureShells() {
  for (ChildProcess& daemon : daemons_) daemon.signal(SIGKILL);
  for (ChildProcess& daemon : daemons_) daemon.wait();
}

void SecureShells::start(const std::string& node, Lets lets) {
  describe_to_client(node);
  std::ofstream(file(node)) << settings(node, lets);
  ChildSpec spec;
  spec.command = hosts_->network().at(node).launch();
  spec.command.insert(spec.command.end(), {program, "-D", "-e", "-f", file(node)});
  spec.output = file(node + ".log");
  daemons_.push_back(ChildProcess::start(spec));
  const auto listens = [&] { return read_text(spec.output).find("Server listening") != std::string::npos; };
  if (!testing_commands::eventually(listens)) throw std::runtime_error("sshd: " + read_text(spec.output));
}

std::vector<std::string> SecureShells::launch(const std::string& node) const {
  return {"ssh", "-F", file("client"), hosts_->network().address(node)};
}

void SecureShells::make_key(const std::string& name) const {
  ChildSpec spec;
  spec.command = {"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", file(name)};
  spec.output = file("keys.log");
  if (!ChildProcess::start(spec).wait().is_fine()) throw std::runtime_error(read_text(spec.output));
}

void SecureShells::describe_to_client(const std::string& node) const {
  std::ofstream(file("known"), std::ios::app)
      << fmt::format("[{}]:{} {}", hosts_->network().address(node), port, read_text(file("host.pub")));
}

std::string SecureShells::settings(const std::string& node, Lets lets) const {
  return fmt::format(
      "Port {}\nListenAddress {}\nHostKey {}\nAuthorizedKeysFile {}\nPidFile none\nStrictModes no\nUsePAM "
      "no\n"
      "PasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin prohibit-password\n"
      "PrintMotd no\nSetEnv {}\n",
      port, hosts_->network().address(node), file("host").string(),
      file(lets == Lets::us ? "ours.pub" : "another.pub").string(),
      fmt::join(hosts_->environment(node), " "));
}

}  // namespace eventspace::testing_hosts
