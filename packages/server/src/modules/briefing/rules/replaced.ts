type Name = { entity_path: string; key: string };
type Item = Name | { action: string };

/** A lesson: what failed, and what worked in the end. */
export type LessonRow = Name & { value: { avoid?: unknown; resolved_with?: unknown } };
type Supported = Name & { seq: number };

const MOST = 3;
const WORD = /\p{L}{3,}/gu;

const isName = (item: Item): item is Name => typeof item === 'object' && item !== null && 'key' in item;
const namesIn = (items: unknown): Name[] => (Array.isArray(items) ? (items as Item[]).filter(isName) : []);
const isSame = (a: Name, b: Name): boolean => a.entity_path === b.entity_path && a.key === b.key;

/**
 * What to use instead of an entry that outcomes refuted: what lessons say worked where it had failed; else later entries at
 * the same path that outcomes support, with a word of its key in theirs.
 */
export function replacementsOf(
  refuted: Supported,
  { lessons, supported }: { lessons: readonly LessonRow[]; supported: readonly Supported[] },
): Name[] {
  const learned = lessons
    .filter(({ value }) => namesIn(value?.avoid).some((name) => isSame(name, refuted)))
    .flatMap(({ value }) => namesIn(value?.resolved_with));
  const words = new Set(wordsOf(refuted.key));
  const later = supported.filter(
    ({ entity_path, key, seq }) =>
      entity_path === refuted.entity_path && seq > refuted.seq && wordsOf(key).some((word) => words.has(word)),
  );
  const found = (learned.length > 0 ? learned : later).filter((name) => !isSame(name, refuted));
  const names = new Map(found.map(({ entity_path, key }) => [`${entity_path}\n${key}`, { entity_path, key }]));
  return [...names.values()].slice(0, MOST);
}

const wordsOf = (key: string): string[] => key.toLowerCase().match(WORD) ?? [];
