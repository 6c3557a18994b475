import { Fault, type Input, invalidInput, type Output } from '@mem-service/contract';
import { fromIso, type Work } from '../../kernel/index.ts';
import { eraseCommand } from '../../shell-text.ts';
import { type SecretSearch, secretSearch } from './prepare.ts';
import type { SecretsInEntry } from './rules/secrets.ts';

export type CommitWriteInput = Input<'commits.create'>['writes'][number];
export type WriteWarning = Output<'entries.write'>['warnings'][number];

export function expiryOf({ ttl_at, ttl_seconds }: CommitWriteInput, now: number): number | undefined {
  if (ttl_seconds !== undefined) return now + Math.ceil(ttl_seconds * 1000);
  return ttl_at === undefined ? undefined : fromIso(ttl_at);
}

/** Where a write is within the input, which of the writes it is, and the branch that it writes to. */
export type WritePlace = { at: string; n: number; search: SecretSearch; branch: string };

/** Checks what the input's schema cannot express, and returns what may be wrong all the same. */
export function checkWrite(work: Work, input: CommitWriteInput, place: WritePlace): WriteWarning[] {
  const { services, now } = work;
  const { value, entity_path, key } = input;
  const { max_value_bytes } = services.limits;
  const bytes = Buffer.byteLength(value.text);
  if (bytes > max_value_bytes)
    throw new Fault('value_too_large', `the value has ${bytes} bytes; ${max_value_bytes} are allowed`, {
      entity_path,
      key,
      max_value_bytes,
    });
  if ((expiryOf(input, now) ?? Number.POSITIVE_INFINITY) <= now)
    throw invalidInput([{ path: `${place.at}ttl_at`, message: 'must be in the future' }]);
  return checkSecrets(work, input, { secret: place.search(input, place.n), ...place });
}

/** Checks the writes of one operation to a branch; `name` is that of their list in the input. */
export function checkWrites(
  work: Work,
  writes: readonly CommitWriteInput[],
  { name, branch, prepared }: { name: string; branch: string; prepared: unknown },
): WriteWarning[] {
  const search = secretSearch(work.services, prepared);
  return writes.flatMap((write, n) => checkWrite(work, write, { at: `${name}.${n}.`, n, search, branch }));
}

/** Names the kind of a secret and never its text: answers are stored and logged. */
function checkSecrets(
  { services }: Work,
  { entity_path, key }: CommitWriteInput,
  { at, branch, secret }: { at: string; branch: string; secret: SecretsInEntry | undefined },
): WriteWarning[] {
  const { secrets } = services.settings;
  if (secret === undefined) return [];
  const { part, kinds } = secret;
  const found = `the ${part} looks like a secret (${kinds.join(', ')})`;
  if (secrets === 'refuse')
    throw new Fault('looks_like_secret', `${found}; write where it is kept instead`, {
      entity_path,
      ...(part === 'key' ? {} : { key }),
      kinds,
      errors: [{ path: `${at}${part}`, message: found }],
    });
  const message =
    `${found}. Everyone who may read this entry can read it: ask a person to run: ` +
    `${eraseCommand({ entity_path, key, branch })}; mem_delete keeps it in the history`;
  return [{ type: 'looks_like_secret', entity_path, key, kinds, message }];
}
