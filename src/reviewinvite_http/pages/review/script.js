"use strict";
// The page is whole without it.

// How many characters are left: to see at once, and to hear when the typing pauses.
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

// Another language, with what was typed: the form is sent to be shown only.
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
    form.setAttribute("action", other.href); // `form.action` is the field of that name now
    form.submit();
    action.remove(); // who comes back by the browser's own way finds the form as it was
    form.removeAttribute("action");
  });
})();
