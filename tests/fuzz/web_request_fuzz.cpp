// Reads any text as a request to the server of the page: the first line has the method and the target, the
// next ones a field each, and the rest is the body.

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "monitors/web/http/gate.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace eventspace::web;

/// Counts what passes the checks.
class CountingSite final : public Site {
 public:
  Answer answer(const Request& request) override {
    ++asked;
    if (request.parameters.size() > Limits{}.parameters) std::abort();
    return {.body = share("answer")};
  }
  int asked{0};
};

ArrivedRequest request_in(const std::string& text) {
  std::istringstream in(text);
  ArrivedRequest request;
  std::string line;
  std::getline(in, line);
  const auto space = std::min(line.find(' '), line.size());
  request.method = line.substr(0, space);
  request.target = line.substr(std::min(space + 1, line.size()));
  while (std::getline(in, line) && !line.empty()) {
    const auto colon = std::min(line.find(": "), line.size());
    request.fields.emplace_back(line.substr(0, colon), line.substr(std::min(colon + 2, line.size())));
  }
  std::getline(in, request.body, '\0');
  return request;
}

}  // namespace

// Without the key and a cookie, which are random, no request reaches the site; with a cookie, none harms.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  CountingSite site;
  Gate gate(site, HostRules(8080, {}), Limits{});
  ArrivedRequest request = request_in(std::string(data, data + size));
  const Reply refused = gate.answer(request, {});
  if (refused.status < 400 || site.asked != 0) std::abort();
  const Reply opened =
      gate.answer({"GET", gate.opening(Role::owner), {{"Host", "localhost:8080"}}, "", false}, {});
  std::erase_if(request.fields, [](const auto& field) { return field.first == "Cookie"; });
  request.fields.emplace_back("Cookie", opened.fields.front().second);
  const Reply reply = gate.answer(request, {});
  if (reply.status < 200 || reply.status > 503) std::abort();
  if (request.method == "POST" && site.asked != 0) std::abort();  // it lacks the token
  return 0;
}

std::vector<std::string> eventspace::fuzz::seeds() {
  const std::string host = "\nHost: 127.0.0.1:8080";
  return {"GET /" + host,
          "GET /api/s/0/stream?parts=threads%2Cverdict&x=1" + host + "\nSec-Fetch-Site: same-origin",
          "GET /assets/../x" + host, "GET /open?key=" + std::string(64, '0') + host,
          "POST /api/s/0/do/seek" + host +
              "\nOrigin: http://127.0.0.1:8080\nX-EventSpace-Token: 0\n\n{\"position\": 1}"};
}
