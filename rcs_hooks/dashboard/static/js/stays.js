// How long the run stayed where: each stay at a step as one stretch of time, so that a loop shows as several.

const OPEN = new Set(["running", "waiting"]);

/** From the events of the run, where all of them are known: what the steps by themselves do not say. */
export function staysOf(events) {
  const stays = new Map();
  for (const event of events) {
    if (event.type !== "status_change" || event.unit || !event.step || event.step.includes(":")) continue;
    const of = stays.get(event.step) ?? [];
    stays.set(event.step, of);
    const last = of.at(-1);
    const isOpen = last && last.to === null;
    if (OPEN.has(event.status)) {
      if (isOpen) last.status = event.status;
      else of.push({ from: Date.parse(event.at), to: null, status: event.status });
    } else if (isOpen) Object.assign(last, { to: Date.parse(event.at), status: event.status });
    else if (event.status !== "skipped") of.push({ from: Date.parse(event.at), to: Date.parse(event.at), status: event.status });
  }
  return stays;
}

/** Of the server's list of visits, where it sends one. */
export function staysIn(visits) {
  const stays = new Map();
  for (const { step, status, started_at: from, ended_at: to } of visits) {
    if (!from) continue;
    const of = stays.get(step) ?? [];
    stays.set(step, of);
    of.push({ from: Date.parse(from), to: to ? Date.parse(to) : null, status });
  }
  return stays;
}

/** One stretch, from the first time to the last: what is known of a step, a unit or an agent by itself. */
export function whole(each) {
  if (!each.started_at) return [];
  return [{ from: Date.parse(each.started_at), to: each.ended_at ? Date.parse(each.ended_at) : null, status: each.status }];
}
