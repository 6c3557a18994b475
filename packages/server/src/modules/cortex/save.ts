import { EVERYONE, SELF_CALLER, type Work } from '../../kernel/index.ts';
import type { Compiled, CompiledDigest } from './compile.ts';
import { deleteDigest, dropOldest, upsertDigests } from './queries.ts';

/** Digests that an account keeps; those that were compiled longest ago give way. */
export const MAX_DIGESTS = 10_000;

export const COMPILED = 'brief_compiled';

/** Stores digests and reports each that is shown. The events make no digest due. */
export async function saveDigests(work: Work, { save, remove }: Compiled): Promise<void> {
  const { tx, account_id, services } = work;
  for (const key of remove) work.send(deleteDigest(tx, account_id, key));
  if (save.length > 0) {
    await tx.insertMany(
      upsertDigests,
      save.map(({ digest }) => digest),
    );
    if (save.some(({ is_first }) => is_first))
      await dropOldest(tx, account_id, services.limits.max_digests ?? MAX_DIGESTS);
  }
  for (const compiled of save) if (compiled.digest.is_shown === 1) emitCompiled(work, compiled);
}

/** The paths behind the digest of an agent are left out: not everybody who reads the log may see them. */
function emitCompiled(work: Work, { digest, by }: CompiledDigest): void {
  const { branch, digest_type, scope, seq, entry_count } = digest;
  const isPath = by === undefined;
  work.emit({
    event_type: COMPILED,
    agent_id: by ?? SELF_CALLER.agent_id,
    branch,
    entity_path: isPath ? scope : null,
    key: null,
    version: null,
    visible_to: EVERYONE,
    details: { digest_type, scope, entry_count, entities: isPath ? [scope] : [], up_to_seq: seq },
    ...(isPath ? {} : { actor_agent_id: SELF_CALLER.agent_id }),
  });
}
