import { parseGlob, stringify } from '@mem-service/contract';
import { cursorsOf, cutPage, pageBytes, reads, requireNewest, startWithin } from '../../kernel/index.ts';
import { listLargePaths } from '../counts/index.ts';
import { lookAt } from './look.ts';
import { newAmong } from './propose.ts';
import * as queries from './queries.ts';
import { planConsolidation } from './rules/plan.ts';
import { coverageOf, reportOf, scopeText } from './runs.ts';
import { showCandidates, showProposals, withGoldenQueries } from './show.ts';
import { lookInTurn } from './turns.ts';

/** Paths with as many entries are worth a run. */
const READY = { least: 10, looked_at: 1_000, most: 10 };
/** Entries that candidates are looked for among. */
const MAX_LOOKED_AT = 200;

export const status = reads<'consolidation.status'>(async ({ scan, view, caller, services }) => {
  const { agent_id, scope } = coverageOf(caller, {});
  const [runs, pending_proposals, ready] = await Promise.all([
    queries.listRuns(scan, view.account_id),
    queries.countProposals(scan, view, { status: 'pending', paths: undefined }),
    listLargePaths(scan, view, READY),
  ]);
  const own = runs.filter((run) => run.agent_id === agent_id && run.scope === scopeText(scope));
  const sum = (of: (run: queries.RunRow) => number) => own.reduce((total, run) => total + of(run), 0);
  return {
    consolidation_runs: sum((run) => run.runs),
    auto_archived: sum((run) => run.demoted),
    pending_proposals,
    entities_ready: ready.map(({ entity_path }) => entity_path),
    running: runs.some((run) => run.status === 'running'),
    last_run: own[0] ? reportOf(own[0], services) : null,
  };
});

const cursors = cursorsOf('consolidation.proposals', ['number']);

export const proposals = reads<'consolidation.proposals'>(async (context, { status, entity_path, limit, cursor }) => {
  const { scan, view, services, dialect } = context;
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : cursors.from(cursor)[0];
  const filter = { status: status === 'all' ? undefined : status, paths: globsAt(entity_path) };
  const bytes = pageBytes(services);
  const [{ rows, more }, total] = await Promise.all([
    queries.listProposals(scan, view, { ...filter, before, limit: limit + 1, bytes }),
    queries.countProposals(scan, view, filter),
  ]);
  const sources = await queries.listSources(scan, view.account_id, dialect.texts(rows.map(idOf)));
  const valued = new Set(rows.filter(({ proposed_value }) => proposed_value !== null).map(idOf));
  const shown = await showProposals(scan, dialect, rows);
  const changesKept = (at: number) => valued.has(shown[at]?.proposal_id ?? '');
  const whole = await withGoldenQueries(shown, { context, entries: sources, changesKept });
  // The names of sources may be longer than all else.
  const first = startWithin(whole, bytes, (answer) => Buffer.byteLength(stringify(answer)));
  const found = { rows: first, more: more || first.length < whole.length };
  const { items, ...page } = cutPage(found, limit, ({ seq }) => cursors.to([seq]));
  return { proposals: items, total, ...page };
});

const idOf = ({ proposal_id }: { proposal_id: string }): string => proposal_id;

const globsAt = (text: string | undefined) => {
  const glob = text === undefined ? undefined : parseGlob(text);
  return glob && [glob];
};

export const candidates = reads<'consolidation.candidates'>(async (context, { entity_path, limit }) => {
  const { scan, view, services, dialect, caller } = context;
  requireNewest(view, 'what could be consolidated');
  const paths = globsAt(entity_path);
  const { looked, isAll } = await lookInTurn(services, view.account_id, async () => {
    const found = await queries.listAt(scan, view, { paths, most: MAX_LOOKED_AT + 1 });
    const ids = found.slice(0, MAX_LOOKED_AT).map(({ entry_id }) => entry_id);
    return { looked: await lookAt({ services, query: scan, view, paths }, ids), isAll: found.length <= MAX_LOOKED_AT };
  });
  const within = { account_id: view.account_id, dialect, agent_id: caller.agent_id };
  const planned = await newAmong(scan, within, planConsolidation(looked.pairs, []).proposals);
  const first = planned.slice(0, limit);
  const shown = await showCandidates(scan, view.account_id, first);
  const entries = first.flatMap(({ sources }) => sources);
  const whole = await withGoldenQueries(shown, { context, entries, changesKept: () => false });
  const proposals = startWithin(whole, pageBytes(services), (answer) => Buffer.byteLength(stringify(answer)));
  return {
    entity_path,
    proposals,
    truncated: !isAll || planned.length > proposals.length,
  };
});
