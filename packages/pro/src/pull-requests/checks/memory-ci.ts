import {
  type Caller,
  hitsIn,
  type Lineage,
  type Query,
  readContext,
  readSeq,
  recentQuestions,
  type Services,
} from '@mem-service/server/module';
import { endOf } from '../../merges/ends.ts';
import type { PullRequestRow } from '../queries.ts';
import { compareHits, type ReplayedQuestion } from './replay.ts';
import { type CheckResult, countOf } from './result.ts';

/** How many questions are asked again, for how long, and how many hits are compared. */
const MAX_QUESTIONS = 50;
const MAX_MS = 2_000;
const HITS = 10;

/** Results that are kept in memory, each for one place in the log of its account. */
const MAX_KEPT = 200;
const kept = new WeakMap<Services, Map<string, Promise<CheckResult>>>();

type Asking = { services: Services; caller: Caller };

/** Asks what recent sessions asked on both branches, unless nothing has changed in the account since that was done. */
export async function checkMemory({ services, caller }: Asking, row: PullRequestRow): Promise<CheckResult> {
  const { read } = services.database.forAccount(row.account_id);
  const name = JSON.stringify([row.account_id, row.id, await readSeq(read, row.account_id)]);
  const results = keptBy(services);
  const known = results.get(name);
  if (known !== undefined) return known;
  if (results.size >= MAX_KEPT) results.clear();
  const asked = replayAll({ services, caller }, read, row);
  results.set(name, asked);
  asked.catch(() => results.delete(name));
  return asked;
}

function keptBy(services: Services): Map<string, Promise<CheckResult>> {
  const known = kept.get(services) ?? new Map<string, Promise<CheckResult>>();
  kept.set(services, known);
  return known;
}

async function replayAll({ services, caller }: Asking, read: Query, row: PullRequestRow): Promise<CheckResult> {
  const { account_id } = row;
  const refs = { account_id, read };
  const [source, target] = [await endOf(refs, row.source_branch), await endOf(refs, row.target_branch)];
  const branches = new Set([...source.lineage, ...target.lineage].map(({ branch }) => branch));
  const context = readContext(services, caller, target.lineage);
  const questions = await recentQuestions(context, { branches, limit: MAX_QUESTIONS });
  const found: ReplayedQuestion[] = [];
  let asked = 0;
  for (const question of questions) {
    if (context.elapsed() > MAX_MS) break;
    const hits = (lineage: Lineage) => hitsIn(services, { account_id, lineage, limit: HITS }, question);
    const changed = compareHits(question, await hits(target.lineage), await hits(source.lineage));
    if (changed) found.push(changed);
    asked++;
  }
  return resultOf(found, { asked, of: questions.length });
}

function resultOf(found: readonly ReplayedQuestion[], { asked, of }: { asked: number; of: number }): CheckResult {
  const lost = found.filter((one) => one.lost.length > 0).length;
  const scope = asked < of ? ` of ${of}` : '';
  const questions = [...found].sort((a, b) => b.lost.length - a.lost.length);
  const summary =
    of === 0
      ? 'no session has asked anything yet'
      : `${countOf(asked, 'question')}${scope} asked again: ${found.length} would be answered from other entries, ` +
        `${lost} without what helped before`;
  return { name: 'memory_ci', status: lost > 0 ? 'failed' : 'passed', summary, findings: [], questions };
}
