// Give the frame of a mail the height of the mail: a frame cannot do that itself, and nothing runs in it.
const frame = document.querySelector(".mail iframe");
if (frame) {
  const fit = () => {
    const mail = frame.contentDocument?.documentElement;
    if (mail) {
      frame.style.height = "0"; // else a mail is never shorter than its frame was
      frame.style.height = `${mail.scrollHeight + 2}px`;
    }
  };
  frame.addEventListener("load", fit);
  addEventListener("resize", fit);
  fit();
}
