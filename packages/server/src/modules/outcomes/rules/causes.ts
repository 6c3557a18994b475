import type { EntryKey } from '@mem-service/contract';
import { entityPathProblem, keyProblem } from '@mem-service/contract';

export type { EntryKey } from '@mem-service/contract';

/**
 * An entry that an outcome is traced back to. `version` is the one that was read and `content_hash` that of its value,
 * where they are known; the hash takes precedence.
 */
export type Cause = EntryKey & { version?: number | undefined; content_hash?: string | undefined };

export const causeKeyText = ({ entity_path, key }: EntryKey): string => `${entity_path}\n${key}`;

/** As text, `entity_path/key`: the last slash separates them, so one inside the key is written `%2F`, and `%` is `%25`. */
export const formatCause = ({ entity_path, key }: EntryKey): string =>
  `${entity_path}/${key.replaceAll('%', '%25').replaceAll('/', '%2F')}`;

/**
 * Parses text or an object, with names in NFC; undefined where they cannot be the names of an entry. Any other `%` of a key
 * is taken literally.
 */
export function parseCause(cause: string | Cause): Cause | undefined {
  const given = typeof cause === 'string' ? split(cause) : cause;
  const entity_path = given.entity_path.normalize('NFC');
  const key = given.key.normalize('NFC');
  if (entityPathProblem(entity_path) || keyProblem(key)) return undefined;
  return { entity_path, key, version: given.version, content_hash: given.content_hash };
}

function split(text: string): Cause {
  const slash = text.lastIndexOf('/');
  const key = text.slice(slash + 1).replace(/%(2F|25)/gi, (_, code) => (code === '25' ? '%' : '/'));
  return { entity_path: text.slice(0, Math.max(0, slash)), key };
}

/**
 * Groups causes by entry, in the order in which the entries were first named. `idOf` may identify an entry by something
 * that is at hand, instead of a text that has to be made.
 */
export function groupByEntry<T extends EntryKey>(
  causes: readonly T[],
  idOf: (cause: T) => unknown = causeKeyText,
): [T, ...T[]][] {
  const groups = new Map<unknown, [T, ...T[]]>();
  for (const cause of causes) {
    const id = idOf(cause);
    const known = groups.get(id);
    if (known) known.push(cause);
    else groups.set(id, [cause]);
  }
  return [...groups.values()];
}
