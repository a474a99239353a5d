// What the server is asked, and what it answers: JSON, or one sentence that says why not.

import { at } from "./shared.js";
import { setClock } from "./time.js";

class Problem extends Error {
  constructor(message, status = 0) {
    super(message);
    this.status = status;
  }
}

export const path = (...parts) => `/api/${parts.map(encodeURIComponent).join("/")}`;

export function query(address, asked) {
  const given = Object.entries(asked).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return given.length ? `${address}?${new URLSearchParams(given)}` : address;
}

async function ask(address, options) {
  let answer;
  try {
    answer = await fetch(at(address), { credentials: "same-origin", cache: "no-store", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem("The server does not answer. Is `rcs dashboard` still running?");
  }
  setClock(answer.headers.get("date"));
  if (!answer.ok) throw new Problem(await reason(answer), answer.status);
  return answer;
}

async function reason(answer) {
  const text = await answer.text();
  try {
    const said = JSON.parse(text);
    return said.error ?? text;
  } catch {
    return text || `${answer.status} ${answer.statusText}`;
  }
}

export async function get(address, signal) {
  const answer = await ask(address, { signal });
  return answer.json();
}

/** What changes something carries a token that only a page of this server can read. */
export async function post(address, body) {
  const { token } = await get("/api/token");
  const answer = await ask(address, {
    method: "POST",
    headers: { "content-type": "application/json", "x-rcs-token": token },
    body: JSON.stringify(body),
  });
  return answer.json();
}
