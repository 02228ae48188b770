/**
 * Notifies a user who does not look at the page that a question waits: by the number of questions
 * in the title of the tab and on the icon of the installed app, and by a notification if the
 * browser allows it.
 */

export class Attention {
  #title = "Bowline";
  #count = 0;

  /** @param {string} title */
  set title(title) {
    this.#title = title;
    this.#draw();
  }

  /** Asks for the permission to notify, once the user has sent a message. */
  allow() {
    if ("Notification" in window && Notification.permission === "default") void Notification.requestPermission();
  }

  /** How many questions wait, in all sessions. @param {number} count */
  show(count) {
    if (count > this.#count && !document.hasFocus()) this.#notify();
    if (count === this.#count) return;
    this.#count = count;
    this.#draw();
    // Only browsers that install pages as apps have it, and it fails where no app is installed.
    if ("setAppBadge" in navigator) void navigator.setAppBadge(count).catch(() => {});
  }

  #draw() {
    document.title = this.#count === 0 ? this.#title : `(${this.#count}) ${this.#title}`;
  }

  /** Says nothing about the question itself: a notification may be seen by others. */
  #notify() {
    if (!("Notification" in window) || Notification.permission !== "granted") return;
    try {
      const notification = new Notification("The agent waits for your answer", { tag: "bowline" });
      notification.onclick = () => window.focus();
    } catch {
      // Some phones allow notifications only from a service worker, which this page has not.
    }
  }
}
