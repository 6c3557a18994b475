import { type Caller, Fault, readableBranches, type Services, viewerOf } from '@mem-service/server/module';
import { type FixRow, getFix } from './queries.ts';
import type { FixReader } from './render.ts';

/** Who may not read its branch does not see a fix. */
export async function requireFix(reader: FixReader, fixId: string): Promise<FixRow> {
  const row = await getFix(reader.read, viewerOf(reader), fixId);
  const asked = row && readableBranches(reader, [row.branch]);
  const readable = asked && (await asked);
  const isReadable = row !== undefined && (readable?.has(row.branch) ?? true);
  if (!isReadable) throw new Fault('not_found', `there is no fix ${fixId}`, { fix_id: fixId });
  return row;
}

export const requireFirst = (services: Services, { fix_id }: { fix_id: string }, caller: Caller): Promise<FixRow> =>
  requireFix({ caller, services, read: services.database.forAccount(caller.account_id).read }, fix_id);
