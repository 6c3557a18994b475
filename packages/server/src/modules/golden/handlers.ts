import { Fault, globsOf, type Output } from '@mem-service/contract';
import {
  ADMINS,
  branchOf,
  changed,
  cursorsOf,
  cutPage,
  EVERYONE,
  entryName,
  type Handlers,
  hashedBy,
  isInScope,
  looksAt,
  MAIN_BRANCH,
  missingScope,
  readScope,
  reads,
  requireNewest,
  type Scope,
  scopeCovers,
  sessionName,
  toIso,
  toIsoOrNull,
  unchanged,
  WHOLE_ACCOUNT,
  withinPage,
  writes,
} from '../../kernel/index.ts';
import { findEntriesByNumber, getLiveEntry } from '../entries/index.ts';
import { goldenIdOf, keepPairs, UNREPLAYED } from './keep.ts';
import * as queries from './queries.ts';
import type { AskedQuestion } from './rules/question.ts';
import { type NamedGolden, shownGolden } from './shown.ts';
import { deleteWeights, getWeights, RETRIEVE, upsertWeights, type WeightsRow } from './weights-queries.ts';

const cursors = cursorsOf('golden', ['number', 'string']);

const list = reads<'golden.list'>(async (context, { entity_path, limit, cursor }) => {
  const { view, services } = context;
  requireNewest(view, 'a golden query');
  const [seq, golden_id] = cursor === undefined ? [Number.MAX_SAFE_INTEGER, ''] : cursors.from(cursor);
  const all = await shownGolden(context, { paths: globsOf({ entity_path }) });
  const rows = all.filter((row) => row.outcome_seq < seq || (row.outcome_seq === seq && row.golden_id < golden_id));
  const shown = rows.slice(0, limit + 1);
  const found = withinPage(services, shown, (row) => [row.question, row.hit_path, row.hit_key, row.agent_id]);
  const { items, ...page } = cutPage(found, limit, (row) => cursors.to([row.outcome_seq, row.golden_id]));
  return { golden_queries: items.map((row) => toGolden(row, view.scope)), ...page };
});

/** A place depends on entries that a key with a scope may not read. */
const toGolden = (row: NamedGolden, scope: Scope | undefined): Output<'golden.create'> => ({
  golden_id: row.golden_id,
  question: row.question,
  asked_with: row.asked_with as AskedQuestion['asked_with'] | 'given',
  asked_at: row.asked_path,
  include_descendants: row.below === 1,
  agent_id: row.agent_id,
  entity_path: row.hit_path,
  key: row.hit_key,
  version: row.version,
  times: row.times,
  first_at: toIso(row.first_at),
  last_at: toIso(row.last_at),
  rank: scope === undefined ? row.hit_rank : null,
  stale: row.stale === null ? null : row.stale === 1,
  replayed_at: row.replayed_at === 0 ? null : toIso(row.replayed_at),
});

const create = writes<'golden.create'>(async (work, { input, caller, lineage }) => {
  const { tx, account_id, now } = work;
  const { agent_id } = caller;
  const question = input.question.trim().replaceAll(/\s+/g, ' ');
  const { entity_path, key } = input;
  const view = { account_id, lineage, agent_id, scope: readScope(caller), at: now, dialect: work.dialect };
  const branch = branchOf(view);
  const entry = await getLiveEntry(tx, view, { entity_path, key });
  if (!entry) throw new Fault('not_found', `there is no entry ${entity_path}/${key}`, { entity_path, key });
  const visible_to = entry.shared === 1 ? EVERYONE : agent_id;
  const named = { agent_id, visible_to, branch, question, asked_path: null, below: 0, entry_id: entry.entry_id };
  const golden_id = goldenIdOf(named);
  const hit = { hit_path: entity_path, hit_key: key };
  const known = await queries.getGolden(tx, account_id, golden_id);
  if (known) return unchanged(toGolden({ ...known, ...hit }, readScope(caller)));
  const outcome_seq = work.emit({
    ...{ event_type: 'golden_query_added', agent_id, branch, entity_path, key, version: null, visible_to },
    details: { golden_id },
    session: sessionName(caller.session_id, caller),
  });
  const given = { asked_with: 'given', version: entry.version, times: 1, first_at: now, last_at: now };
  const row = { account_id, golden_id, ...named, ...given, outcome_seq, trace_seq: 0, trace_no: 0, ...UNREPLAYED };
  await keepPairs(work, [row]);
  const output = toGolden({ ...row, ...hit }, readScope(caller));
  return changed(output, { resource: entryName(entity_path, key), ...hashedBy(output) });
});

const remove = writes<'golden.delete'>(async (work, { input, caller }) => {
  const { tx, account_id, dialect } = work;
  const { golden_id } = input;
  const row = await queries.getGolden(tx, account_id, golden_id);
  const [entry] = row ? await findEntriesByNumber(tx, account_id, [row]) : [];
  const { agent_id } = caller;
  const isShown =
    row !== undefined &&
    entry !== undefined &&
    (row.visible_to === '' || row.visible_to === agent_id) &&
    (entry.shared === 1 || entry.agent_id === agent_id) &&
    isInScope(readScope(caller), entry.entity_path) &&
    coversAsked(readScope(caller), row);
  if (!isShown) throw new Fault('not_found', `there is no golden query ${golden_id}`, { golden_id });
  const { entity_path, key } = entry;
  await work.services.branchAccess.requireUnnamed(caller, row.branch, 'read_write');
  if (!isInScope(caller.key?.write, entity_path)) throw missingScope('WRITE', { kind: 'exact', path: entity_path });
  await queries.deleteGolden(tx, account_id, dialect.texts([golden_id]));
  work.emit({
    event_type: 'golden_query_deleted',
    agent_id,
    branch: row.branch,
    entity_path,
    key,
    version: null,
    visible_to: entry.shared === 1 ? row.visible_to : agent_id,
    details: { golden_id },
    session: sessionName(caller.session_id, caller),
  });
  const output = { golden_id, deleted: true as const };
  return changed(output, { resource: golden_id, ...hashedBy(output) });
});

/** Whether a key may read all that was asked. */
function coversAsked(scope: Scope | undefined, { asked_with, asked_path, below }: queries.GoldenRow): boolean {
  if (asked_with === 'given') return true;
  const asked = globsOf({ entity_path: asked_path ?? undefined, include_descendants: below === 1 });
  return scope === undefined || asked?.every((glob) => scopeCovers(scope, glob)) === true;
}

const read = reads<'retrieval.read'>(async ({ read, caller }) =>
  toRetrieval(await getWeights(read, caller.account_id)),
);

const set = writes<'retrieval.set'>(async (work, { input, caller }) => {
  const { tx, account_id } = work;
  const before = await getWeights(tx, account_id);
  const isFitted = before !== undefined;
  if (input.fit_weights === isFitted) return unchanged(toRetrieval(before));
  if (input.fit_weights) await tx.insertMany(upsertWeights, [{ account_id, name: RETRIEVE, ...UNFITTED }]);
  else await deleteWeights(tx, account_id);
  const after = toRetrieval(await getWeights(tx, account_id));
  const { agent_id } = caller;
  const place = { branch: MAIN_BRANCH, entity_path: null, key: null, version: null };
  const details = { fit_weights: input.fit_weights };
  work.emit({ event_type: 'retrieval_set', ...place, details, agent_id, visible_to: ADMINS });
  return changed(after, { resource: WHOLE_ACCOUNT, ...hashedBy(after) });
});

const UNFITTED = {
  weights: null,
  fitted_on: null,
  held_out: null,
  mrr_default: null,
  mrr_fitted: null,
  fitted_at: null,
};

function toRetrieval(row: WeightsRow | undefined): Output<'retrieval.read'> {
  const { weights, fitted_on, held_out, mrr_default, mrr_fitted, fitted_at } = row ?? UNFITTED;
  return {
    fit_weights: row !== undefined,
    weights: weights === null ? null : JSON.parse(weights),
    ...{ fitted_on, held_out, mrr_default, mrr_fitted },
    fitted_at: toIsoOrNull(fitted_at),
  };
}

export const handlers: Handlers = {
  'golden.list': list,
  'golden.create': create,
  'golden.delete': remove,
  'retrieval.read': looksAt(() => WHOLE_ACCOUNT, read),
  'retrieval.set': set,
};
