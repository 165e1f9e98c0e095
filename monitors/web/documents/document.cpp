#include "monitors/web/documents/document.h"

#include <fmt/format.h>

#include <algorithm>

#include "tuplespace/parsing/number_in.h"

namespace eventspace::web {
namespace {

bool names_part(const std::set<std::string>& wanted, std::string_view part) {
  return wanted.empty() || wanted.contains(std::string(part)) ||
         wanted.contains(std::string(part.substr(0, part.find('/'))));
}

}  // namespace

bool WantedParts::has(std::string_view part) const {
  return all || last || (!names.empty() && names_part(names, part));
}

std::vector<std::size_t> WantedParts::numbers(std::string_view prefix) const {
  std::vector<std::size_t> numbers;
  const std::string begin = std::string(prefix) + "/";
  for (auto name = names.lower_bound(begin); name != names.end() && name->starts_with(begin); ++name)
    if (const auto number = number_in<std::size_t>(std::string_view(*name).substr(begin.size())))
      numbers.push_back(*number);
  return numbers;
}

class Document::PartFeed final : public Feed {
 public:
  PartFeed(std::shared_ptr<Document> document, std::set<std::string> wanted)
      : document_(std::move(document)), wanted_(std::move(wanted)) {
    const std::lock_guard lock(document_->mutex_);
    document_->feeds_.push_back(this);
  }
  ~PartFeed() override {
    const std::lock_guard lock(document_->mutex_);
    std::erase(document_->feeds_, this);
  }

  std::vector<SharedText> take() override {
    const std::lock_guard lock(document_->mutex_);
    std::vector<SharedText> events;
    for (const auto& [name, part] : document_->parts_)
      if (part.version > seen_ && wants(name)) events.push_back(part.event);
    if (document_->gone_.version > seen_) events.push_back(document_->gone_.event);
    seen_ = document_->version_;
    return events;
  }
  [[nodiscard]] bool wants(std::string_view part) const { return names_part(wanted_, part); }
  void add_to(WantedParts& wanted) const {
    wanted.all = wanted.all || wanted_.empty();
    wanted.names.insert(wanted_.begin(), wanted_.end());
  }

 private:
  std::shared_ptr<Document> document_;
  const std::set<std::string> wanted_;
  std::uint64_t seen_{0};  // the version of the document that the page has
};

void Document::publish(const Parts& parts) {
  {
    std::vector<std::string> texts;
    for (const auto& part : parts) texts.push_back(part.second.dump());
    const std::lock_guard lock(mutex_);
    ++version_;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      Part& part = parts_[parts[i].first];
      if (part.version != 0 && part.value == texts[i]) continue;
      part.version = version_;
      part.value = std::move(texts[i]);
      part.event = share(fmt::format("event: part\ndata: {{\"name\":{},\"version\":{},\"value\":{}}}\n\n",
                                     Json(parts[i].first).dump(), version_, part.value));
    }
  }
  if (on_change_) on_change_();
}

void Document::end(const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    if (gone_.version != 0) return;
    gone_.version = ++version_;
    gone_.event = share(fmt::format("event: gone\ndata: {{\"reason\":{}}}\n\n", Json(reason).dump()));
  }
  if (on_change_) on_change_();
}

void Document::come_back() {
  const std::lock_guard lock(mutex_);
  gone_ = {};
}

std::shared_ptr<Feed> Document::open(std::set<std::string> wanted) {
  return std::make_shared<PartFeed>(shared_from_this(), std::move(wanted));
}

std::size_t Document::pages() const {
  const std::lock_guard lock(mutex_);
  return feeds_.size();
}

WantedParts Document::wanted() const {
  const std::lock_guard lock(mutex_);
  WantedParts wanted;
  for (const PartFeed* const feed : feeds_) feed->add_to(wanted);
  return wanted;
}

std::string Document::text() const {
  const std::lock_guard lock(mutex_);
  std::string text = "{";
  for (const auto& [name, part] : parts_) {
    text += fmt::format("{}{}:{{\"version\":{},\"value\":{}}}", text.size() > 1 ? "," : "", Json(name).dump(),
                        part.version, part.value);
  }
  return text + "}";
}

}  // namespace eventspace::web
