// Made-up text in which words are as unevenly spread as in a language: the word of rank r turns up 1/r as often as the
// first. The same number always gives the same entry.

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

/** Frequent words are short. The last letter keeps any stemmer from touching them. */
const word = (rank) =>
  rank < TWO ? `${syllables((rank * 1009) % TWO, 2)}k` : `${syllables((rank * 100_003) % THREE, 3)}k`;

/** Small, fast and the same everywhere (mulberry32). */
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

/** Bodies of about 500 bytes for new entries of a run, in random folders, no key twice: `{n}` and `{g}` are filled in by the load. */
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

/** The word that is expected in about this many entries of a store. */
function wordIn(matches, entries) {
  return word(Math.round((entries * WORDS_PER_ENTRY) / (Math.log(VOCABULARY + 1) * matches)));
}

/** Pairs of words that each stand in 20 to 50 entries. */
export function rareQueries(entries, count = 200) {
  const random = randomFrom(entries);
  const rare = () => wordIn(20 + 30 * random(), entries);
  return Array.from({ length: count }, () => `${rare()} ${rare()}`);
}

/** Pairs of words that stand in a large part of all entries. */
export function commonQueries(count = 50) {
  const random = randomFrom(1);
  const common = () => word(1 + Math.floor(20 * random()));
  return Array.from({ length: count }, () => `${common()} ${common()}`);
}
