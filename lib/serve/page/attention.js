/**
 * Tells a user who looks elsewhere that the agent waits for an answer: a mark in the
 * title of the tab, and a notification if the browser allows it.
 */

export class Attention {
  #title = "Bowline";
  #isAsking = false;

  /** @param {string} title */
  set title(title) {
    this.#title = title;
    this.#draw();
  }

  /** Asks for the permission to notify, once the user has sent a message. */
  allow() {
    if ("Notification" in window && Notification.permission === "default") void Notification.requestPermission();
  }

  /** @param {boolean} isAsking */
  show(isAsking) {
    if (isAsking && !this.#isAsking && document.visibilityState === "hidden") this.#notify();
    this.#isAsking = isAsking;
    this.#draw();
  }

  #draw() {
    document.title = this.#isAsking ? `(?) ${this.#title}` : this.#title;
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
