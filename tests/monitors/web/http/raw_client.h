#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace eventspace::testing_commands {

/// A connection to a server of HTTP that sends any bytes and reads the answer.
class RawClient {
 public:
  explicit RawClient(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connect(reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  explicit RawClient(const std::filesystem::path& socket) : socket_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    socket.native().copy(address.sun_path, sizeof address.sun_path - 1);
    connect(reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  ~RawClient() { ::close(socket_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  /// Makes the window for unread bytes small.
  void read_slowly() const {
    const int size = 4096;
    (void)::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  }

  /// Returns false if the server has closed the connection.
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  /// Reads until `text` has come, the connection ends, or the patience does. Returns everything that came.
  const std::string& read_until(std::string_view text,
                                std::chrono::milliseconds patience = std::chrono::seconds(20)) {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (read_.find(text) == std::string::npos && !is_closed_) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
      if (left.count() <= 0 || !read_some(static_cast<int>(left.count()))) break;
    }
    return read_;
  }
  /// Reads until the server closes the connection. Returns everything that came.
  const std::string& read_all(std::chrono::milliseconds patience = std::chrono::seconds(20)) {
    return read_until(std::string_view("\0no such text\0", 14), patience);
  }
  [[nodiscard]] bool is_closed() const noexcept { return is_closed_; }
  void forget() { read_.clear(); }

  /// Sends a request and returns its answer. The connection stays open.
  std::string ask(const std::string& request) {
    forget();
    if (!send(request)) return "";
    const auto header_end = read_until("\r\n\r\n").find("\r\n\r\n");
    const auto length_at = read_.find("Content-Length: ");
    if (header_end == std::string::npos || length_at == std::string::npos) return read_;
    const std::size_t whole = header_end + 4 + std::stoul(read_.substr(length_at + 16));
    while (read_.size() < whole && !is_closed_ && read_some(20'000)) {
    }
    return read_;
  }

 private:
  void connect(const sockaddr* address, socklen_t size) const {
    if (::connect(socket_, address, size) != 0) throw std::runtime_error("cannot connect");
  }
  bool read_some(int patience_ms) {
    pollfd ready{socket_, POLLIN, 0};
    if (::poll(&ready, 1, patience_ms) <= 0) return false;
    char bytes[65536];
    const auto count = ::recv(socket_, bytes, sizeof bytes, 0);
    if (count <= 0) is_closed_ = true;
    if (count > 0) read_.append(bytes, static_cast<std::size_t>(count));
    return count > 0;
  }

  int socket_;
  std::string read_;
  bool is_closed_{false};
};

/// "GET TARGET" with the fields, each ended by a line break.
inline std::string get_request(const std::string& target, int port, const std::string& fields = "") {
  return "GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n" + fields + "\r\n";
}

/// The status of an answer; 0 if it is not one.
inline int status_in(const std::string& answer) {
  return answer.starts_with("HTTP/1.1 ") ? std::stoi(answer.substr(9, 3)) : 0;
}

inline std::string body_in(const std::string& answer) {
  const auto end = answer.find("\r\n\r\n");
  return end == std::string::npos ? "" : answer.substr(end + 4);
}

/// The field Cookie for the next requests of a browser that got this answer.
inline std::string cookie_in(const std::string& answer) {
  const auto begin = answer.find("Set-Cookie: ");
  if (begin == std::string::npos) return "";
  const auto end = answer.find(';', begin);
  return "Cookie: " + answer.substr(begin + 12, end - begin - 12) + "\r\n";
}

}  // namespace eventspace::testing_commands
