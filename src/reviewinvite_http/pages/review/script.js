"use strict";
// The page works without this script.

// Show how many characters are left at once, and announce it to screen readers when typing pauses.
(() => {
  const text = document.getElementById("text");
  const shown = document.querySelector("[data-left]");
  if (!text || !shown) return;
  const heard = shown.cloneNode();
  let pause;
  heard.className = "unseen";
  heard.setAttribute("role", "status");
  heard.hidden = false;
  shown.setAttribute("aria-hidden", "true");
  shown.hidden = false;
  shown.after(heard);
  const words = () => `${shown.dataset.left} ${(text.maxLength - text.value.length).toLocaleString(document.documentElement.lang)}`;
  const count = () => {
    shown.textContent = words();
    clearTimeout(pause);
    pause = setTimeout(() => { heard.textContent = words(); }, 1000);
  };
  text.addEventListener("input", count);
  shown.textContent = words();
})();

// Switch the language and keep the entered text: the form is submitted only to be shown again.
(() => {
  const form = document.querySelector("form.review");
  if (!form) return;
  const isTyped = (field) => (field.type === "radio" ? field.checked !== field.defaultChecked : field.value !== field.defaultValue);
  document.querySelector("header").addEventListener("click", (event) => {
    const other = event.target.closest("a");
    const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
    const fields = [...form.querySelectorAll("input, textarea")];
    if (!other || !isPlain || !(fields.some(isTyped) || "unsaved" in form.dataset)) return;
    event.preventDefault();
    const action = document.createElement("input");
    Object.assign(action, { type: "hidden", name: "action", value: "show" });
    form.append(action);
    form.setAttribute("action", other.href); // `form.action` now is the field with that name
    form.submit();
    action.remove(); // a visitor who navigates back finds the form unchanged
    form.removeAttribute("action");
  });
})();
