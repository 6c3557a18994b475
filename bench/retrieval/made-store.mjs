// A store with the memories of the bench and as many made ones as wanted, opened in this process.
import { caller, open } from '../inside/open.mjs';
import { readOwnSet } from './own-set.mjs';

/** Entries at one path of the made ones. */
const AT_ONE_PATH = 600;
const WORDS = 18;
const TOGETHER = 500;

/** The path that questions are asked within. */
export const ONE_PATH = 'made/1';

export async function openStore(options) {
  const app = await open(options);
  return { app, call: (name, input, as = {}) => app.kernel.invoke(name, input, { ...caller, ...as }) };
}

/** Entries made of the words of the memories, from one number on: the same for the same number. */
export function madeEntry(at, words) {
  let state = (Math.imul(at + 1, 2_654_435_761) + 12_345) >>> 0;
  const random = () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x297a2d39) >>> 0;
    return state / 2 ** 32;
  };
  const value = Array.from({ length: WORDS }, () => words[Math.floor(random() * words.length)]).join(' ');
  return { entity_path: `made/${Math.floor(at / AT_ONE_PATH)}`, key: `k${at % AT_ONE_PATH}`, value };
}

export const wordsOfMemories = (memories) => memories.flatMap(({ value }) => value.split(/\s+/));

/** Writes what is missing of `entries`, and waits until the index of meaning has it. */
export async function fillStore({ call }, entries) {
  const { memories } = readOwnSet();
  const { total_entries } = await call('stats.read', {});
  if (total_entries < memories.length)
    for (const { entity_path, key, value, session } of memories)
      await call('entries.write', { entity_path, key, value }, { session_id: session });
  const words = wordsOfMemories(memories);
  for (let at = Math.max(total_entries, memories.length) - memories.length; at < entries - memories.length; ) {
    const upto = Math.min(at + TOGETHER, entries - memories.length);
    const made = Array.from({ length: upto - at }, (_, i) => madeEntry(at + i, words));
    await Promise.all(made.map((entry) => call('entries.write', entry)));
    at = upto;
  }
}

export async function untilCaughtUp({ call }) {
  for (;;) {
    const { index } = await call('entries.retrieve', { query: 'checkout pool', limit: 1 });
    if (index.behind === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
