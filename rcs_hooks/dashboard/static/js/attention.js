// What needs a person, asked for whenever something has happened; the number in the head is made of it on every page.

import { get } from "./api.js";
import { everyOther } from "./pace.js";

export class Attention {
  data = null;
  problem = null;
  #changed;
  #asked = everyOther(700, () => this.#ask());

  constructor(changed) {
    this.#changed = changed;
  }

  get needy() {
    const found = this.data;
    return found ? found.waiting.length + found.failed.length + found.stalled.length : 0;
  }

  refresh() {
    this.#asked.soon();
  }

  async #ask() {
    try {
      this.data = await get("/api/attention");
      this.problem = null;
    } catch (error) {
      this.problem = error;
    }
    this.#changed();
  }
}
