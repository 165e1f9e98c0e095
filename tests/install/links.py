"""links.py FOLDER: follows the links of all pages (*.md) in FOLDER. Prints each that leads to no file, or to no heading
of a page, and then ends with status 1."""

import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)\s]+)\)")
FEWEST = 100  # there are hundreds; with fewer something is wrong with the installation


def text_of(page):
    """Returns the page without its blocks and pieces of code, in which brackets are no links."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", lambda code: "x" * len(code[0]), text)


def anchors_of(page):
    """Returns the anchors of the headings, as GitHub makes them."""
    anchors, seen = set(), {}
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for heading in re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        anchor = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        seen[anchor] = seen.get(anchor, -1) + 1
        anchors.add(anchor if seen[anchor] == 0 else f"{anchor}-{seen[anchor]}")
    return anchors


def fault_of(page, target):
    """Returns what is wrong with a link; None if it works."""
    file, _, anchor = target.partition("#")
    place = (page.parent / file).resolve() if file else page
    if not place.exists():
        return "no such file"
    if anchor and place.suffix == ".md" and anchor not in anchors_of(place):
        return "no such heading"
    return None


def main(folder):
    links, faults = 0, []
    for page in sorted(folder.rglob("*.md")):
        for target in LINK.findall(text_of(page)):
            if re.match(r"[a-z]+:", target):
                continue
            links += 1
            fault = fault_of(page, target)
            if fault:
                faults.append(f"{page.relative_to(folder)}: ({target}): {fault}")
    print(*faults, sep="\n", end="\n" if faults else "")
    print(f"{links} links, {len(faults)} of them dead")
    return 1 if faults or links < FEWEST else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
