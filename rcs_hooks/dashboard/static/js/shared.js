// The pages of all machines of a team: their addresses begin with /shared, and each row names the machine and the person.
// They are for looking: what to do, and on which machine, is said as a command to type there.

const PREFIX = "/shared";

export const isShared = /^\/shared(\/|$)/.test(location.pathname);

/** Whether this server shows both this machine alone and all machines. */
export const isBoth = document.body.dataset.shared === "both";

/** An address of a page or of data as it is here. */
export function at(address) {
  const isOurs = typeof address === "string" && address.startsWith("/") && !address.startsWith("/static/");
  return isShared && isOurs && !/^\/shared(\/|$)/.test(address) ? PREFIX + address : address;
}

/** The path of a page without what tells shared ones apart. */
export const inside = (pathname) => (isShared && pathname.replace(/^\/shared(?=\/|$)/, "")) || (isShared ? "/" : pathname);

let machines = new Map();

export function setMachines(found) {
  machines = new Map(found.map((machine) => [machine.name, machine]));
}

export const allMachines = () => [...machines.values()];

/** What an address of a project stands for: its name, its machine and its person. */
export function addressed(address) {
  const [, name, project] = /^\/\/([^/]*)(?:\/(.*))?$/.exec(address) ?? [null, "", address];
  const machine = machines.get(name);
  return { name, project: project ?? "", person: machine?.person ?? "", machine };
}

/** The machine of a run, whose id is RUN@MACHINE, and the id there. */
export function runOf(id) {
  const cut = id.lastIndexOf("@");
  return { id: id.slice(0, cut), machine: id.slice(cut + 1) };
}

/** Whether titles and ids as written have left the machine of a project. */
export const hasTexts = (address) => addressed(address).machine?.projects.some((each) => each.project === address && each.texts) ?? false;

/** A word as a shell reads it. */
export const quoted = (word) => (/^[\w.@#:/,+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

export const PEOPLE = "~";

/** The choices of person, machine and project that there are beside what is chosen: each is a value of `project`. */
export function choices(chosen) {
  const value = chosen ?? "";
  const { name } = value.startsWith("//") ? addressed(value) : { name: "" };
  const person = value.startsWith(PEOPLE) ? value.slice(1) : (machines.get(name)?.person ?? "");
  const people = [...new Set(allMachines().map((each) => each.person))].sort();
  const ofPerson = allMachines().filter((each) => !person || each.person === person);
  const named = ofPerson.map((each) => each.name).sort();
  const projects = ofPerson.filter((each) => !name || each.name === name).flatMap((each) => each.projects);
  const wholePerson = person ? PEOPLE + person : "";
  const wholeMachine = name ? `//${name}` : wholePerson;
  return [
    ["Person", wholePerson, [["", "all people"], ...people.map((each) => [PEOPLE + each, each])]],
    ["Machine", name ? `//${name}` : wholePerson, [[wholePerson, "all machines"], ...named.map((each) => [`//${each}`, each])]],
    ["Project", value.startsWith("//") && addressed(value).project ? value : wholeMachine, [[wholeMachine, "all projects"], ...unique(projects).map((each) => [each.project, name ? each.name : `${each.name} (${addressed(each.project).name})`])]],
  ];
}

const unique = (projects) => [...new Map(projects.map((each) => [each.project, each])).values()].sort((one, other) => (one.project < other.project ? -1 : 1));
