// How long the run stayed where: each stay at a step is one stretch of time, so that a loop shows as several.

/** Of each step, out of the visits of the run. */
export function staysOf(visits) {
  const stays = new Map();
  for (const visit of visits) stays.set(visit.step, [...(stays.get(visit.step) ?? []), ...whole(visit)]);
  return stays;
}

/** One stretch, from the first time to the last: what is known of a visit, a unit or an agent by itself. */
export function whole(each) {
  if (!each.started_at) return [];
  return [
    { from: Date.parse(each.started_at), to: each.ended_at ? Date.parse(each.ended_at) : null, status: each.status },
  ];
}
