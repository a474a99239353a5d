// What every page with a list and filters does. The filters are the address.

import { filtered } from "../pieces.js";

export class FilteredList {
  data = null;
  problem = null;

  constructor(frame, url) {
    this.frame = frame;
    this.url = url;
  }

  moved(url) {
    this.url = url;
    this.frame.refresh();
  }

  folders({ state }) {
    if (state !== this.data?.state) this.frame.refresh();
  }

  changed(element) {
    const name = element.dataset.filter;
    if (name) this.frame.go(filtered(this.url, name, element.value));
  }
}
