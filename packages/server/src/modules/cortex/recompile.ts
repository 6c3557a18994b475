import { digestTypes, type Input } from '@mem-service/contract';
import { changed, hashedBy, unchanged, type Work, writes } from '../../kernel/index.ts';
import { compileDigests } from './compile.ts';
import { listOldest } from './queries.ts';
import type { DigestKey } from './rows.ts';
import { saveDigests } from './save.ts';

/** Whatever they were, and although nothing happened. */
const WHOLE = { seq: Number.POSITIVE_INFINITY, change: 'all' as const, author: undefined, if_changed: false };

/** Compiles digests again within the call, those that were compiled longest ago first. */
export const recompile = writes<'cortex.recompile'>(async (work, { input }) => {
  const { tx, account_id, dialect, now } = work;
  const { before_seq = work.start.seq } = input;
  const { keys, has_more } = await wanted(work, { ...input, before_seq });
  const { seq } = work.start;
  const due = keys.map((key) => ({ ...key, ...WHOLE, entries: new Set<number>(), outcomes: new Map() }));
  const compiled = await compileDigests({ query: tx, dialect, account_id, at: now, seq }, due);
  await saveDigests(work, compiled);
  const output = { recompiled: compiled.save.length, removed: compiled.remove.length, before_seq, has_more };
  if (output.recompiled + output.removed === 0) return unchanged(output);
  return changed(output, { resource: input.scope ?? 'digests', ...hashedBy(output) });
});

async function wanted(
  { tx, account_id }: Work,
  { digest_type, scope, branch, limit, before_seq }: Input<'cortex.recompile'> & { before_seq: number },
): Promise<{ keys: DigestKey[]; has_more: boolean }> {
  const types = digest_type === undefined ? digestTypes : [digest_type];
  if (scope !== undefined)
    return { keys: types.map((type) => ({ branch, digest_type: type, scope })), has_more: false };
  const keys = await listOldest(tx, account_id, { branch, types, before_seq, limit: limit + 1 });
  return { keys: keys.slice(0, limit), has_more: keys.length > limit };
}
