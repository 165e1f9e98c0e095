// Changes what is shown to what is wanted, and leaves alone all that is the same. Elements keep their focus, a text that the reader
// has selected stays selected, and a list keeps its position, although numbers change several times a second.

/** Like box.replaceChildren(...children), for children without listeners; null children are left out. */
export function fill(box, ...children) {
  const shown = [...box.childNodes];
  const wanted = children.filter((child) => child !== null && child !== undefined).map((child) => (typeof child === "string" ? new Text(child) : child));
  wanted.forEach((node, i) => (i < shown.length ? become(shown[i], node) : box.append(node)));
  for (const rest of shown.slice(wanted.length)) rest.remove();
}

function become(shown, wanted) {
  if (shown.nodeName !== wanted.nodeName) {
    shown.replaceWith(wanted);
  } else if (shown.nodeType === Node.TEXT_NODE) {
    if (shown.data !== wanted.data) shown.data = wanted.data;
  } else {
    take_attributes(shown, wanted);
    fill(shown, ...wanted.childNodes);
  }
}

function take_attributes(shown, wanted) {
  for (const { name } of [...shown.attributes]) if (!wanted.hasAttribute(name) && name !== "open") shown.removeAttribute(name); // the reader opens details
  for (const { name, value } of wanted.attributes) {
    if (shown.getAttribute(name) === value) continue;
    // The security policy refuses the attribute, not the property.
    if (name === "style") shown.style.cssText = value;
    else shown.setAttribute(name, value);
  }
}
