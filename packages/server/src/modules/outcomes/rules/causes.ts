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
  const { entity_path, key, ...rest } = typeof cause === 'string' ? split(cause) : cause;
  const named = { ...rest, entity_path: entity_path.normalize('NFC'), key: key.normalize('NFC') };
  return entityPathProblem(named.entity_path) || keyProblem(named.key) ? undefined : named;
}

function split(text: string): Cause {
  const slash = text.lastIndexOf('/');
  const key = text.slice(slash + 1).replace(/%(2F|25)/gi, (_, code) => (code === '25' ? '%' : '/'));
  return { entity_path: text.slice(0, Math.max(0, slash)), key };
}

/** Groups causes by entry, in the order in which the entries were first named. */
export function groupByEntry<T extends EntryKey>(causes: readonly T[]): [T, ...T[]][] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const cause of causes) {
    const known = groups.get(causeKeyText(cause));
    if (known) known.push(cause);
    else groups.set(causeKeyText(cause), [cause]);
  }
  return [...groups.values()];
}
