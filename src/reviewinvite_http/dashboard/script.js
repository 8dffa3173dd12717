"use strict";

// Buttons that copy a text are of no use without this script, so they are hidden until it runs. Links that copy lead to
// the text without it.
function enableCopying(part) {
  for (const button of part.querySelectorAll("[data-copy]:not([data-enabled])")) {
    if (!navigator.clipboard) break;
    button.hidden = false;
    button.dataset.enabled = "";
    const label = button.lastChild;
    const text = label.textContent;
    button.addEventListener("click", async (event) => {
      event.preventDefault();
      const source = document.getElementById(button.dataset.copy);
      try {
        await navigator.clipboard.writeText(source.textContent);
      } catch {
        if (button.href) return location.assign(button.href);
        getSelection().selectAllChildren(source); // a browser that refuses still lets people copy by hand
        return;
      }
      label.textContent = button.dataset.copied;
      setTimeout(() => (label.textContent = text), 2000);
    });
  }
}
enableCopying(document);
document.addEventListener("htmx:load", (event) => enableCopying(event.detail.elt));

// htmx shows no answer that is an error; the form or link without htmx does.
for (const failure of ["htmx:responseError", "htmx:sendError"]) {
  document.addEventListener(failure, (event) => {
    const sender = event.detail.elt;
    if (sender.matches("form")) sender.submit();
    else if (sender.matches("a[href]")) location.assign(sender.href);
  });
}

// A menu at the top closes when something else is clicked, or by Escape.
for (const menu of document.querySelectorAll("details.drop")) {
  document.addEventListener("click", (event) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
}

// Browsers that cannot style the content of a closed element print only its summary, so it is opened meanwhile.
addEventListener("beforeprint", () => {
  for (const part of document.querySelectorAll("main details:not([open])")) part.open = part.dataset.printed = true;
});
addEventListener("afterprint", () => {
  for (const part of document.querySelectorAll("main details[data-printed]")) {
    part.open = false;
    delete part.dataset.printed;
  }
});
