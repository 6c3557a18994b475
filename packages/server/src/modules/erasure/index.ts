import { parseGlob } from '@mem-service/contract';
import { sql } from '../../db/index.ts';
import {
  alone,
  changed,
  EVERYONE,
  entryName,
  type Handlers,
  hashedBy,
  type Module,
  pathWithin,
  toIso,
  unchanged,
  writes,
} from '../../kernel/index.ts';
import { authorOf } from '../entries/index.ts';
import { eraseAgent } from './agent/index.ts';
import { compactErased, freeErasedRows } from './compact.ts';
import { foresee, removeEntries } from './entries.ts';
import * as queries from './queries.ts';

export { markUncompacted } from './compact.ts';

const erase = writes<'entries.erase'>(async (work, { input, caller }) => {
  const { branch, entity_path, key, dry_run } = input;
  const author = authorOf(input, caller);
  const target: queries.Target = {
    account_id: work.account_id,
    branch,
    agent_id: author.agent_id,
    paths: pathWithin(parseGlob(entity_path)),
    keys: key === undefined ? [] : [sql`key = ${key}`],
  };
  const request = { dry_run, entity_path, key: key ?? null };
  const doomed = await queries.listDoomed(work.tx, target);
  if (dry_run) {
    const erased = await foresee(work, target, doomed);
    return unchanged({ ...request, erased, receipt_id: null, erased_at: null }, { entity_path });
  }
  const receipt_id = work.services.ids.next(work.now);
  const erased = await removeEntries(work, { ...target, receipt_id }, doomed);
  work.emit({
    event_type: 'erase',
    agent_id: author.agent_id,
    branch,
    entity_path: null,
    key: null,
    version: null,
    // Who may not see an entry learns nothing of its end either.
    visible_to: doomed.length > 0 && doomed.every((row) => row.shared === 0) ? author.agent_id : EVERYONE,
    details: { receipt_id, ...erased },
  });
  const receipt = { ...request, erased, receipt_id, erased_at: toIso(work.now) };
  const resource = key === undefined ? entity_path : entryName(entity_path, key);
  return changed(receipt, { resource, entity_path, ...hashedBy(receipt) });
});

/** Everything that was noted or written before it is in the store, so that it finds all names there are. */
const handlers: Handlers = { 'entries.erase': alone(erase), 'agents.erase': eraseAgent };

export const erasure: Module = {
  name: 'erasure',
  migrations: [],
  handlers,
  consumers: [freeErasedRows],
  maintenance: [compactErased],
};
