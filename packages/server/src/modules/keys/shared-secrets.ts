import { Fault } from '@mem-service/contract';
import type { Work } from '../../kernel/index.ts';
import * as queries from './queries.ts';
import { holderOf } from './rules/holder.ts';

/** Secrets that a revoked key shared with others of its rotation: its own no longer counts at them. */
export async function endSharedSecrets(work: Work, row: queries.KeyRow): Promise<void> {
  const own = row.secret_set === 0 ? undefined : await queries.getSecrets(work.tx, row);
  if (!own) return;
  const isRotated = (await queries.listSuccessors(work.tx, row)).length > 0;
  if (!isRotated) await takeBack(work, row, own);
  else if (own.secret_before !== null) await endReplaced(work, row, own.secret_before);
}

async function endReplaced(work: Work, row: queries.KeyRow, secret: string): Promise<void> {
  const { account_id } = row;
  for (const { key_id, key_hash } of await queries.listAccepting(work.tx, {
    account_id,
    holder: holderOf(row),
    secret,
  })) {
    await queries.dropReplacedSecret(work.tx, { account_id, key_id });
    work.afterCommit(() => work.services.keys.invalidate(key_hash));
  }
}

/** The key that it replaced has its secret alone again, if the rotation brought another. */
async function takeBack(work: Work, { account_id, rotated_from }: queries.KeyRow, own: queries.SigningSecrets) {
  const before = rotated_from === null ? undefined : await queries.getKey(work.tx, account_id, rotated_from);
  const secrets = before && (await queries.getSecrets(work.tx, before));
  if (!secrets || secrets.secret_before === null || secrets.secret !== own.secret) return;
  const { expires_at, key_hash } = before;
  if (secrets.secret_before_ends_at !== expires_at) return;
  await queries.endKey(work.tx, before, { ...queries.NO_SECRETS, secret: secrets.secret_before, expires_at });
  work.afterCommit(() => work.services.keys.invalidate(key_hash));
}

/** Two secrets count at once, not three: the one that the sender still uses would be lost. */
export async function refuseThirdSecret(work: Work, row: queries.KeyRow, secret: string | undefined): Promise<void> {
  if (secret === undefined || row.secret_set === 0) return;
  const [successor] = await queries.listSuccessors(work.tx, row);
  if (!successor) return;
  const { key_id } = successor;
  throw new Fault(
    'conflict',
    `the key ${row.key_id} was rotated already: revoke the new key ${key_id}, or rotate that one`,
    {
      key_id,
    },
  );
}
