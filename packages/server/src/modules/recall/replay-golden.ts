import { operations, stringify } from '@mem-service/contract';
import { type Kernel, type MaintenanceTask, type ReadContext, readContext, SELF_CALLER } from '../../kernel/index.ts';
import {
  askableGolden,
  dueGolden,
  type FusionWeights,
  type GoldenPair,
  isStale,
  type ReplayedGolden,
  saveReplayed,
} from '../golden/index.ts';
import { retrieve } from './handlers.ts';
import { countDuplicates } from './rules/duplicates.ts';

/** A run asks so many questions, for so long: it runs beside requests. */
const MAX_QUESTIONS = 100;
const MAX_MS = 10_000;
/** The hits that are looked at, and those that are compared with each other. */
const HITS = 20;
const COMPARED = 10;

/** Asks the golden queries again, each once a day. */
export const replayGolden: MaintenanceTask = {
  name: 'recall.replay_golden',
  every_seconds: 600,
  run: replay,
};

async function replay(kernel: Kernel, isStopping: () => boolean): Promise<void> {
  const started = performance.now();
  const isOver = () => isStopping() || performance.now() - started > MAX_MS;
  for (const [account_id, ids] of await dueGolden(kernel, MAX_QUESTIONS)) {
    if (isOver()) return;
    const { scan } = kernel.services.database.forAccount(account_id);
    const askable = await askableGolden(scan, account_id, ids);
    const known = new Set(askable.map(({ golden_id }) => golden_id));
    const gone = ids.filter((id) => !known.has(id));
    const replayed: ReplayedGolden[] = [];
    for (const pair of askable) {
      if (isOver()) break;
      const found = await askAgain(kernel, pair);
      if (found) replayed.push(found);
      else gone.push(pair.golden_id);
    }
    await saveReplayed(kernel, account_id, { replayed, gone });
  }
}

/** No agent has this name: it sees what everyone may see. */
const EVERYBODY = '';

/** As the one agent that may see the golden query, or as one that has nothing private. Nothing is noted. */
function contextOf(kernel: Kernel, { account_id, visible_to, branch }: GoldenPair): ReadContext {
  const caller = { ...SELF_CALLER, account_id, agent_id: visible_to === '' ? EVERYBODY : visible_to };
  return { ...readContext(kernel.services, caller, [{ branch, up_to_seq: null }]), note() {} };
}

/** Undefined where the entry is gone. */
async function askAgain(kernel: Kernel, pair: GoldenPair): Promise<ReplayedGolden | undefined> {
  const context = contextOf(kernel, pair);
  const stale = await isStale(context.scan, context.view, pair);
  if (stale === undefined) return undefined;
  const { place, passages } = await placeOf(kernel, pair);
  const compared = passages.slice(0, COMPARED);
  return {
    golden_id: pair.golden_id,
    ...{ hit_rank: place, stale: Number(stale), hits: compared.length, duplicates: countDuplicates(compared) },
  };
}

/** Where the entry of a golden query is among the hits now: 0 where it is not. */
export async function placeOf(
  kernel: Kernel,
  pair: GoldenPair,
  weights: Partial<FusionWeights> = {},
): Promise<{ place: number; passages: string[] }> {
  const { question, asked_path, below, branch } = pair;
  const input = operations['entries.retrieve'].input.parse({
    ...{ query: question, branch, limit: HITS, compact: true, include_avoid: false, include_descendants: below === 1 },
    ...(asked_path === null ? {} : { entity_path: asked_path }),
    ...weights,
  });
  const noted: number[] = [];
  const context = contextOf(kernel, pair);
  const note: ReadContext['note'] = (one) => {
    if (one.kind === 'query') noted.push(...(one.shown ?? []).filter((_, at) => at % 2 === 0));
  };
  const answer = await retrieve({ ...context, note }, input);
  const hits = (JSON.parse(stringify(answer)) as { entries: { passage: string }[] }).entries;
  return { place: noted.indexOf(pair.entry_id) + 1, passages: hits.map(({ passage }) => passage) };
}
