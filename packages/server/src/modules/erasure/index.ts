import { parseGlob } from '@mem-service/contract';
import { sql } from '../../db/index.ts';
import {
  changed,
  EVERYONE,
  entryName,
  exclusive,
  globConditions,
  type Handlers,
  hashedBy,
  type Module,
  maybeLarge,
  requireAllModules,
  toIso,
  unchanged,
  writes,
} from '../../kernel/index.ts';
import { authorOf, findErased, refuseProtected, targetsOf } from '../entries/index.ts';
import { eraseAgent } from './agent.ts';
import { compactErased, freeErasedRows } from './compact.ts';
import { countErased, eraseEntries, withFormerPlaces } from './entries.ts';
import { isOfLargeAccount } from './large.ts';

export { markUncompacted } from './compact.ts';

const erase = writes<'entries.erase'>(async (work, { input, caller }) => {
  requireAllModules(work.services);
  const { branch, entity_path, key, dry_run } = input;
  const { agent_id } = authorOf(input, caller);
  const { account_id } = work;
  await work.locked;
  // To erase is a duty where people ask for it, and no review may stand in its way: admins erase everywhere.
  if (caller.key && caller.key.type !== 'admin') refuseProtected(work, input);
  const paths = globConditions(parseGlob(entity_path));
  const keys = key === undefined ? [] : [sql`key = ${key}`];
  const receipt_id = dry_run ? '' : work.services.ids.next(work.now);
  const targets = await targetsOf(work, { account_id, branch, agent_id, paths, keys }, caller);
  const scope = caller.key?.write;
  const request = { dry_run, entity_path, key: key ?? null };
  if (dry_run) {
    const erased = await countErased(work, targets, scope);
    return unchanged({ ...request, erased, receipt_id: null, erased_at: null });
  }
  const parts = withFormerPlaces(work, findErased(work, targets, receipt_id), { scope, receipt_id });
  const { erased, isPrivate } = await eraseEntries(work, parts);
  work.emit({
    event_type: 'erase',
    agent_id,
    branch,
    entity_path: null,
    key: null,
    version: null,
    // An agent that may not see an entry must not learn that it was erased.
    visible_to: isPrivate ? agent_id : EVERYONE,
    details: { receipt_id, ...erased },
  });
  const receipt = { ...request, erased, receipt_id, erased_at: toIso(work.now) };
  const resource = key === undefined ? entity_path : entryName(entity_path, key);
  return changed(receipt, { resource, ...hashedBy(receipt) });
});

/** Runs after all earlier notes and writes are stored, so that it finds all names. */
const handlers: Handlers = {
  'entries.erase': maybeLarge(isOfLargeAccount, exclusive(erase)),
  'agents.erase': maybeLarge(isOfLargeAccount, eraseAgent),
};

export const erasure: Module = {
  name: 'erasure',
  migrations: [],
  handlers,
  consumers: [freeErasedRows],
  maintenance: [compactErased],
};
