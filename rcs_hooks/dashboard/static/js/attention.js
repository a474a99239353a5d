// What needs a person, asked for whenever something has happened; the number in the head is made of it on every page.

import { get } from "./api.js";
import { tell } from "./notices.js";
import { everyOther } from "./pace.js";

export class Attention {
  data = null;
  problem = null;
  #changed;
  #asked = everyOther(700, () => this.#ask());

  constructor(changed) {
    this.#changed = changed;
  }

  /** How much waits for the person; what has failed or stalled waits for nobody. */
  get needy() {
    return this.data?.waiting.length ?? 0;
  }

  refresh() {
    this.#asked.soon();
  }

  async #ask() {
    try {
      this.data = await get("/api/attention");
      tell(this.data.waiting);
      this.problem = null;
    } catch (error) {
      this.problem = error;
    }
    this.#changed();
  }
}
