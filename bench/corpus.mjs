// Generated text with word frequencies as in a natural language: the word of rank r occurs 1/r as often as the first.
// The same number always gives the same entry.

export const PER_FOLDER = 200;
export const HISTORIES = 20;
export const HISTORY_LENGTH = 50;

const VOCABULARY = 200_000;
const WORDS_PER_ENTRY = 56;

const SYLLABLES = [...'bdfghlmnprstvz'].flatMap((consonant) => [...'aeiou'].map((vowel) => consonant + vowel));
const TWO = SYLLABLES.length ** 2;
const THREE = SYLLABLES.length ** 3;

const syllables = (index, count) =>
  count === 0 ? '' : SYLLABLES[index % SYLLABLES.length] + syllables(Math.floor(index / SYLLABLES.length), count - 1);

/** Frequent words are short. The last letter keeps any stemmer from changing them. */
const word = (rank) =>
  rank < TWO ? `${syllables((rank * 1009) % TWO, 2)}k` : `${syllables((rank * 100_003) % THREE, 3)}k`;

/** A small, fast and portable generator (mulberry32). */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const zipfRank = (random) => Math.floor((VOCABULARY + 1) ** random());

export function noteOf(seed) {
  const random = randomFrom(seed);
  return Array.from({ length: WORDS_PER_ENTRY }, () => word(zipfRank(random))).join(' ');
}

export const folderOf = (n) => `bench/p${Math.floor(n / PER_FOLDER)}`;

/** About 400 bytes of value. */
export const entryOf = (n) => ({
  entity_path: folderOf(n),
  key: `k${n}`,
  value: { note: noteOf(n), step: n },
  confidence: 0.9,
});

/**
 * Bodies of about 500 bytes for new entries of a run, in random folders, with unique keys; the load generator fills in
 * `{n}` and `{g}`.
 */
export function newEntries(run, count = 64) {
  return Array.from({ length: count }, (_, i) =>
    JSON.stringify({
      entity_path: 'bench/p{g}',
      key: `w${run}-{n}`,
      value: { note: noteOf(2 ** 31 + i), step: i },
      confidence: 0.9,
      memory_type: 'fact',
    }),
  );
}

const CAUSES = 10;

/** Bodies for outcomes of a run, each in its own session, with random entries of a store as causes. */
export function newOutcomes(run, entries, count = 1000) {
  const random = randomFrom(entries);
  return Array.from({ length: count }, (_, i) => {
    const causes = new Set();
    while (causes.size < CAUSES) causes.add(Math.floor(random() * entries));
    return JSON.stringify({
      outcome_ref: `o${run}-{n}`,
      session_id: `o${run}-{n}`,
      outcome_type: i % 4 === 0 ? 'failure' : 'success',
      causal_entry_keys: [...causes].map((n) => `${folderOf(n)}/k${n}`),
      decision_summary: 'it came of what was known',
    });
  });
}

/** In the stores of traces and events. */
export const AGENTS = 20;
export const TRACED_ENTRIES = 1000;
export const agentOf = (n) => `bench-${n % AGENTS}`;

export const TRACED_READS = 5;

/** The end of a session: an outcome with task and answer, two actions and a model call. */
export const endOf = (n) => ({
  outcome_ref: `task-${n}`,
  outcome_type: n % 4 === 0 ? 'failure' : 'success',
  task_input: noteOf(3 * 2 ** 30 + n).slice(0, 200),
  response_text: noteOf(3 * 2 ** 30 + n).slice(-200),
  decision_summary: 'it came of what was known',
  tool_calls: ['look', 'act'].map((tool_name) => ({
    tool_name,
    arguments: { step: n },
    result_summary: 'done as it was to be done',
    duration_ms: 12,
  })),
  llm_calls: [{ model: 'some-model', provider: 'some', input_tokens: 1200, output_tokens: 80, cost_usd: 0.004 }],
});

/** Has the first hundred events of the log, and none since. */
export const GONE_AGENT = 'bench-gone';

/** The event of a write, in sessions of ten. */
export const eventOf = (n) => ({
  event_type: 'write',
  agent_id: n < 100 ? GONE_AGENT : agentOf(n),
  branch: 'main',
  entity_path: folderOf(n),
  key: `k${n}`,
  version: 1,
  visible_to: '',
  details: { confidence: 0.9, memory_type: 'fact', shared: true },
  session: `session-${Math.floor(n / (AGENTS * 10))}`,
});

export const OPEN_SESSIONS = 100;
export const READS_OF_OPEN = 10;
export const openSessionOf = (n) => `open-${n}`;

/** The word that is expected in about this many entries of a store. */
function wordIn(matches, entries) {
  return word(Math.round((entries * WORDS_PER_ENTRY) / (Math.log(VOCABULARY + 1) * matches)));
}

/** Pairs of words that each occur in 20 to 50 entries. */
export function rareQueries(entries, count = 200) {
  const random = randomFrom(entries);
  const rare = () => wordIn(20 + 30 * random(), entries);
  return Array.from({ length: count }, () => `${rare()} ${rare()}`);
}

/** Pairs of words that occur in a large part of all entries. */
export function commonQueries(count = 50) {
  const random = randomFrom(1);
  const common = () => word(1 + Math.floor(20 * random()));
  return Array.from({ length: count }, () => `${common()} ${common()}`);
}

/** A project of its own in every store. */
export const PROJECT = 'bench/project';
export const PROJECT_ENTRIES = 600;

export const projectEntryOf = (n) => ({ entity_path: PROJECT, key: `n${n}`, value: { note: noteOf(2 ** 29 + n) } });

/** Questions of 8 to 12 words, each as frequent as in the texts. */
export function questions(count = 100) {
  const random = randomFrom(2);
  return Array.from({ length: count }, () => {
    const words = 8 + Math.floor(5 * random());
    return Array.from({ length: words }, () => word(zipfRank(random))).join(' ');
  });
}
