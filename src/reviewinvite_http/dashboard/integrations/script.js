
// A second click would replace the page that shows the new key by one that says that it was made already.
for (const form of document.querySelectorAll("form[data-once]")) {
  let sent = false;
  form.addEventListener("submit", (event) => {
    if (sent) event.preventDefault();
    sent = true;
  });
  addEventListener("pageshow", () => (sent = false));
}
