// Elements, shortly.

export const $ = (selector, from = document) => from.querySelector(selector);

/// An element with properties and children; strings become text.
export function element(name, properties = {}, ...children) {
  const { class: classes, ...rest } = properties;
  const made = document.createElement(name);
  if (classes) made.className = classes;
  for (const [key, value] of Object.entries(rest)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

/// A text of at most so many characters.
export const cut = (text, most) => text.length > most ? `${text.slice(0, most)}…` : text;

const number = new Intl.NumberFormat("en");
export const count = (value) => number.format(value);
export const many = (value, one, several = `${one}s`) => `${count(value)} ${value === 1 ? one : several}`;
