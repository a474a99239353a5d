// One WebSocket for the whole page. It remembers the last event that it has seen and asks for those behind it, so that
// nothing is missed and nothing comes twice, also when the server was away for a while.

import { at } from "./shared.js";

const FIRST_PAUSE = 400;
const LONGEST_PAUSE = 8000;
const CALM = 1200; // a shorter break is nobody's business
const LATEST_HELLO = 15_000;
const LOOK_EVERY = 5000;
const LONG_AWAY = 60_000;
const ANYWAY = 300_000; // what falls silent or grows old writes nothing, and no message comes of it

/** Tells `state` (connecting, live, reconnecting), `sync` (ask for everything again), `reset` (and forget what was), `events`, `runs` and `folders`. */
export class Live extends EventTarget {
  #seq = null;
  #socket = null;
  #tries = 0;
  #timer = 0;
  #calm = 0;
  #hello = 0;
  #lastLook = Date.now();
  state = "connecting";

  start() {
    this.#open();
    addEventListener("online", () => this.#again());
    document.addEventListener("visibilitychange", () => this.#looked() || (!document.hidden && this.#hurry()));
    setInterval(() => this.#looked(), LOOK_EVERY);
    setInterval(() => !document.hidden && this.state === "live" && this.#tell("sync"), ANYWAY);
  }

  /** Where nobody looked for long, perhaps because the machine slept, an open connection may be a dead one. */
  #looked() {
    if (document.hidden) return false;
    const away = Date.now() - this.#lastLook;
    this.#lastLook = Date.now();
    if (away > LONG_AWAY) this.#again();
    return away > LONG_AWAY;
  }

  #hurry() {
    if (this.#socket.readyState > WebSocket.OPEN) this.#again();
  }

  #open() {
    clearTimeout(this.#timer);
    clearTimeout(this.#hello);
    const address = new URL(at("/ws"), location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    if (this.#seq !== null) address.searchParams.set("after", this.#seq);
    const socket = new WebSocket(address);
    this.#socket = socket;
    this.#hello = setTimeout(() => socket.close(), LATEST_HELLO);
    socket.addEventListener("message", (message) => socket === this.#socket && this.#hear(JSON.parse(message.data)));
    socket.addEventListener("close", () => socket === this.#socket && this.#closed());
  }

  #again() {
    const before = this.#socket;
    this.#tries = 0;
    this.#open();
    before.close();
  }

  #closed() {
    clearTimeout(this.#hello);
    if (this.state === "live" && !this.#calm) this.#tell("lost");
    const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** this.#tries) * (0.75 + Math.random() / 2);
    this.#tries += 1;
    this.#timer = setTimeout(() => this.#open(), pause);
    this.#calm ||= setTimeout(() => this.#say("reconnecting"), CALM);
  }

  #hear(said) {
    switch (said.type) {
      case "hello":
        this.#seq ??= said.seq;
        return this.#connected();
      case "reset":
        this.#seq = said.seq;
        return this.#tell("reset");
      case "events":
        return this.#events(said);
      case "runs":
        return this.#tell("runs", []);
      case "state":
        return this.#tell("folders", said);
    }
  }

  #connected() {
    clearTimeout(this.#hello);
    clearTimeout(this.#calm);
    this.#calm = this.#tries = 0;
    this.#say("live");
    this.#tell("sync");
  }

  #events(said) {
    const fresh = said.events.filter((event) => event.id > this.#seq);
    this.#seq = Math.max(this.#seq, said.seq);
    this.#tell("events", { events: fresh, runs: said.runs });
  }

  #say(state) {
    this.state = state;
    this.#tell("state", state);
  }

  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
