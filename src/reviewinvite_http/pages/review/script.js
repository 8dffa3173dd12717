"use strict";
// The page works without this script.

// Show how many characters are left at once, and announce it to screen readers when typing pauses.
(() => {
  const text = document.getElementById("text");
  const shown = document.querySelector("[data-left]");
  if (!text || !shown) return;
  const heard = shown.cloneNode();
  let pause;
  heard.className = "visually-hidden";
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

// Once stars are chosen, nothing says any longer that they are missing.
document.getElementById("rating")?.addEventListener("change", ({ currentTarget: stars }) => {
  document.getElementById("rating-problem")?.remove();
  for (const name of ["aria-invalid", "aria-describedby"]) stars.removeAttribute(name);
});

// Follow the language like a link if nothing is typed, so that a reload does not send the form again.
(() => {
  const form = document.querySelector("form.review");
  if (!form || "unsaved" in form.dataset) return;
  const isTyped = (field) => (field.type === "radio" ? field.checked !== field.defaultChecked : field.value !== field.defaultValue);
  document.querySelector("header").addEventListener("click", (event) => {
    const button = event.target.closest("[formaction]");
    if (!button || [...form.querySelectorAll("input, textarea")].some(isTyped)) return;
    event.preventDefault();
    location.assign(button.formAction);
  });
})();
