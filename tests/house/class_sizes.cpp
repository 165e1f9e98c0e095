#include "tests/house/class_sizes.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <utility>

namespace eventspace::house {
namespace {

using Tokens = std::vector<std::string_view>;

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_word(std::string_view token) { return is_word_character(token.front()); }

/// Divides the text into words and punctuation. Leaves out comments and preprocessor directives; the contents
/// of literals are replaced by a quotation mark.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Tokens tokens() {
    Tokens found;
    while (at_ < text_.size()) {
      if (const std::string_view token = next(); !token.empty()) found.push_back(token);
    }
    return found;
  }

 private:
  [[nodiscard]] bool is(std::string_view start) const { return text_.substr(at_).starts_with(start); }

  // Moves behind the next `end`; to the end of the text if there is none.
  std::string_view skip(std::size_t from, std::string_view end) {
    const std::size_t found = text_.find(end, from);
    at_ = found == std::string_view::npos ? text_.size() : found + end.size();
    return {};
  }

  std::string_view next() {
    const char c = text_[at_];
    if (std::isspace(static_cast<unsigned char>(c)) != 0) return text_.substr(++at_, 0);
    if (is("//")) return skip(at_, "\n");
    if (is("/*")) return skip(at_ + 2, "*/");
    if (c == '#') return directive();
    if (is("R\"")) return raw_literal();
    if (c == '"' || c == '\'') return literal(c);
    return is_word_character(c) ? word() : punctuation();
  }

  std::string_view directive() {
    do skip(at_, "\n");
    while (at_ >= 2 && at_ < text_.size() && text_[at_ - 2] == '\\');
    return {};
  }

  std::string_view raw_literal() {
    const std::size_t open = text_.find('(', at_);
    const std::string end = ')' + std::string(text_.substr(at_ + 2, open - at_ - 2)) + '"';
    skip(open, end);
    return "\"";
  }

  std::string_view literal(char quote) {
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_)
      if (text_[at_] == '\\') ++at_;
    ++at_;
    return "\"";
  }

  // Numbers with separators too: 1'000.
  std::string_view word() {
    const std::size_t begin = at_;
    const bool is_number = std::isdigit(static_cast<unsigned char>(text_[at_])) != 0;
    while (at_ < text_.size() && (is_word_character(text_[at_]) || (is_number && text_[at_] == '\''))) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  // Two ">" may end two template lists, so ">>" is two tokens.
  std::string_view punctuation() {
    constexpr std::array<std::string_view, 8> longer{"<=>", "<<", "<=", ">=", "==", "::", "->", "&&"};
    const auto found = std::ranges::find_if(longer, [&](std::string_view token) { return is(token); });
    const std::size_t size = found == longer.end() ? 1 : found->size();
    at_ += size;
    return text_.substr(at_ - size, size);
  }

  std::string_view text_;
  std::size_t at_{0};
};

bool is_one_of(std::string_view token, std::initializer_list<std::string_view> tokens) {
  return std::ranges::find(tokens, token) != tokens.end();
}

/// What has been read of a declaration.
struct Declaration {
  std::string_view first{};       // its first word
  std::string_view before{};      // the token before the next one
  std::string_view class_name{};  // if it defines a class: the last word before the bases
  std::string path{};             // if it defines a class or namespace: its names, "Server::Loop"
  bool is_specialisation{false};
  std::string_view function{};  // the word before the parameters, or "operator"
  bool has_namespace{false};
  bool has_colon{false};  // before bases, or the initialisers of a constructor
  bool has_value{false};  // "=" of a variable
  bool is_destructor{false};
  bool is_defaulted{false};  // or deleted

  [[nodiscard]] bool is_class() const {
    return is_one_of(first, {"class", "struct", "union"}) && function.empty() && !has_value;
  }
  [[nodiscard]] bool is_namespace() const { return has_namespace || (first == "extern" && before == "\""); }
  [[nodiscard]] bool is_method_of(std::string_view name) const {
    return !function.empty() && function != name && !is_destructor && !is_defaulted &&
           !is_one_of(first, {"friend", "using", "typedef", "static_assert"});
  }
};

/// Reads the declarations of a file, and those in its namespaces and classes.
class Reader {
 public:
  explicit Reader(Tokens tokens) : tokens_(std::move(tokens)) {}

  std::vector<ClassSize> classes() {
    for (; !is_end(); ++at_) read_scope(nullptr, {});  // a second turn only after a bracket too many
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool is_end() const { return at_ >= tokens_.size(); }
  [[nodiscard]] std::string_view token() const { return is_end() ? std::string_view("}") : tokens_[at_]; }

  // The namespaces and classes around a declaration.
  struct Scope {
    std::string path{};  // with "::" behind each name
    bool is_named{true};

    [[nodiscard]] Scope inside(const Declaration& made) const {
      return {path + made.path + "::", is_named && !made.path.empty() && !made.is_specialisation};
    }
  };

  // Reads to the closing bracket. `own`: the class around it, or null.
  void read_scope(ClassSize* own, const Scope& scope) {
    while (token() != "}") read_declaration(own, scope);
  }

  void read_declaration(ClassSize* own, const Scope& scope) {
    skip_prefixes();
    Declaration made{.first = token()};
    while (token() != "}") {
      const std::string_view here = token();
      if (here == "{" ? read_braces(made, scope) : read_token(made)) break;
      made.before = is_end() ? token() : tokens_[at_ - 1];
    }
    if (own != nullptr && made.is_method_of(own->name)) ++own->methods;
  }

  // Access specifiers, attributes, and the parameters of templates.
  void skip_prefixes() {
    for (;;) {
      if (is_one_of(token(), {"public", "protected", "private"})) {
        at_ += 2;
      } else if (token() == "template") {
        ++at_;
        skip_angles();
      } else if (token() == "[") {
        skip_brackets();
      } else {
        return;
      }
    }
  }

  // Returns whether the declaration ends with these braces.
  bool read_braces(Declaration& made, const Scope& scope) {
    if (made.is_namespace() || made.is_class()) {
      const Scope inside = made.first == "extern" ? scope : scope.inside(made);
      ClassSize found{std::string(made.class_name), 0, scope.path + made.path, inside.is_named};
      ++at_;
      read_scope(made.is_class() ? &found : nullptr, inside);
      ++at_;
      if (made.is_class()) found_.push_back(std::move(found));
      return !made.is_class();
    }
    const bool initialises_member = made.has_colon && (made.before == ">" || is_word(made.before));
    skip_brackets();
    return !made.function.empty() && !initialises_member && made.before != "requires";
  }

  // Returns whether the declaration ends with this token.
  bool read_token(Declaration& made) {
    const std::string_view here = token();
    const bool is_open = made.function.empty() && !made.has_value;  // may still become a function
    made.has_namespace |= here == "namespace";
    made.is_defaulted |= made.before == "=" && is_one_of(here, {"default", "delete"});
    if (here == "=") made.has_value = is_open;
    if (here == ":") made.has_colon = true;
    if (is_open && !made.has_colon && is_word(here)) read_name(made);
    if (here == "operator" && is_open) {
      read_operator(made);
    } else if (here == "(" && is_open) {
      read_parameters(made);
    } else if (here == "<" && is_open && is_word(made.before)) {
      made.is_specialisation |= !made.has_colon;
      skip_angles();
    } else if (here == "(" || here == "[") {
      skip_brackets();
    } else {
      ++at_;
    }
    return here == ";";
  }

  // A word of a declaration: perhaps the name of a class or namespace, or a part of it.
  void read_name(Declaration& made) {
    const std::string_view here = token();
    if (is_one_of(here, {"class", "struct", "union", "final", "namespace", "inline"})) return;
    made.class_name = here;
    if (made.before != "::") made.path.clear();
    made.path.append(made.path.empty() ? "" : "::").append(here);
  }

  void read_operator(Declaration& made) {
    made.function = "operator";
    ++at_;
    if (token() == "(") skip_brackets();  // operator()
    while (!is_end() && token() != "(") ++at_;
    skip_brackets();
  }

  // Also brackets after other words: alignas(64).
  void read_parameters(Declaration& made) {
    const bool follows_name =
        is_word(made.before) &&
        !is_one_of(made.before, {"alignas", "decltype", "explicit", "noexcept", "requires"});
    made.is_destructor = at_ >= 2 && tokens_[at_ - 2] == "~";
    ++at_;
    const bool is_pointer = is_one_of(token(), {"*", "&"});  // int (*function)(int)
    --at_;
    skip_brackets();
    if (follows_name && !is_pointer) made.function = made.before;
  }

  void skip_brackets() {
    int depth = 0;
    do {
      if (is_one_of(token(), {"(", "[", "{"})) ++depth;
      if (is_one_of(token(), {")", "]", "}"})) --depth;
      ++at_;
    } while (depth > 0 && !is_end());
  }

  void skip_angles() {
    int depth = 0;
    do {
      if (token() == "<") ++depth;
      if (token() == ">") --depth;
      is_one_of(token(), {"(", "[", "{"}) ? skip_brackets() : static_cast<void>(++at_);
    } while (depth > 0 && !is_end());
  }

  Tokens tokens_;
  std::size_t at_{0};
  std::vector<ClassSize> found_;
};

}  // namespace

std::vector<ClassSize> class_sizes(std::string_view text) { return Reader(Lexer(text).tokens()).classes(); }

}  // namespace eventspace::house
