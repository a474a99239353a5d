// How long the run stayed where: each stay at a step is one stretch of time, so that a loop shows as several.

/** Of each step, out of the visits of the run. */
export function staysOf(visits) {
  const stays = new Map();
  for (const visit of visits) stays.set(visit.step, [...(stays.get(visit.step) ?? []), ...whole(visit)]);
  return stays;
}

/** The stretches of a unit or an agent, each time in a state by itself; else one, from the first time to the last. */
export function whole(each) {
  if (each.stays?.length) return each.stays.flatMap((stay) => whole({ ...stay, stays: [] }));
  if (!each.started_at) return [];
  return [
    { from: Date.parse(each.started_at), to: each.ended_at ? Date.parse(each.ended_at) : null, status: each.status },
  ];
}
