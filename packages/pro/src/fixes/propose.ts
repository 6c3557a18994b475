import {
  type Caller,
  changed,
  checkWrites,
  type EntryDraft,
  EntrySet,
  EVERYONE,
  exclusive,
  Fault,
  type Handlers,
  hashedBy,
  JsonText,
  MAIN_BRANCH,
  MAIN_LINEAGE,
  prepares,
  readContext,
  type Services,
  sha256,
  stringify,
  unchanged,
  viewerOf,
  type Work,
  writes,
} from '@mem-service/server/module';
import { createBranch, lineageOf } from '../branches/index.ts';
import { authorOf } from '../judges/index.ts';
import { contentOf } from '../rollback/draft-back.ts';
import { type Correction, correct } from './corrections.ts';
import { handoverOf } from './handover.ts';
import { policyFor } from './policy.ts';
import * as queries from './queries.ts';
import { type FixReader, shownSummary, toWholeFix } from './render.ts';
import { reportFix } from './report.ts';
import { type FixGround, groundOf, type ProposalInput } from './sources.ts';

const MAX_OPEN_FIXES = 100;

type PreparedFix = { ground: FixGround; corrections: Correction[] };

/** Runs are compared before the transaction, which would keep others waiting. */
async function prepare(services: Services, input: ProposalInput, caller: Caller): Promise<PreparedFix> {
  const context = readContext(services, caller, MAIN_LINEAGE);
  const names = input.entries.map(({ entity_path, key }) => `${entity_path}\n${key}`);
  if (new Set(names).size < names.length)
    throw new Fault('conflict', 'an entry is given twice: give one value for each', {});
  const ground = await groundOf(context, input);
  return { ground, corrections: await correct(context, ground, input) };
}

const propose = writes<'fixes.propose'>(async (work, { input, caller, prepared }) => {
  const { account_id, tx } = work;
  await work.locked;
  const { ground, corrections } = prepared as PreparedFix;
  const reader = { caller, services: work.services, read: tx };
  const asked = hashOf(input);
  const [open] = await queries.listOpenFrom(tx, viewerOf({ caller }), ground);
  if (open) {
    if (open.asked !== asked)
      throw new Fault('conflict', `fix ${open.fix_id} is open for the same: approve or dismiss it first`, {
        fix_id: open.fix_id,
      });
    return unchanged(await answerOf(reader, open));
  }
  if (corrections.length === 0)
    throw new Fault(
      'conflict',
      'no memory is found that is to blame: give entries with the values that they should have',
      {},
    );
  if (await queries.hasOpen(tx, account_id, MAX_OPEN_FIXES))
    throw new Fault('conflict', `the account has ${MAX_OPEN_FIXES} open fixes: approve or dismiss some`, {
      max_open_fixes: MAX_OPEN_FIXES,
    });
  const chosen = await policyFor(tx, account_id, input);
  const row = newRow(work, { input, caller, ground, corrections, asked, chosen });
  const written = await writeBranch(work, { row, corrections, input, caller });
  const seq = reportFix(work, row, { change: 'proposed', author: authorOf(input, caller) });
  const saved = { ...row, seq };
  work.send(tx.insertMany(queries.putFixes, [saved]));
  work.send(tx.insertMany(queries.insertFixedEntries, written));
  await work.waitForSent();
  const answer = await answerOf(reader, saved);
  return changed(answer, { resource: row.fix_id, ...hashedBy(answer) });
});

const answerOf = async (reader: FixReader, row: queries.FixRow) => {
  const fix = await toWholeFix(reader, row);
  return { ...fix, handover: await handoverOf(reader, row, fix) };
};

/** What is asked for, by any agent. */
function hashOf({ entries, policy = 'review', set_id = 'regression', description }: ProposalInput): string {
  const given = entries.map(({ entity_path, key, value }) => [entity_path, key, value.text]);
  return sha256(stringify([given, policy, set_id, description]));
}

type NewFix = {
  input: ProposalInput;
  caller: Caller;
  ground: FixGround;
  corrections: readonly Correction[];
  asked: string;
  chosen: Pick<queries.FixRow, 'policy' | 'set_id'>;
};

function newRow(work: Work, { input, caller, ground, corrections, asked, chosen }: NewFix): queries.FixRow {
  const { account_id, now } = work;
  const fix_id = work.services.ids.next(now);
  const { source_kind, source_id, source_seq, source_version, judge_id, behavior_id, of_agent, summary } = ground;
  const { description } = input;
  const { policy, set_id } = chosen;
  const isShared = ground.visible_to === EVERYONE && corrections.every(({ visible_to }) => visible_to === EVERYONE);
  return {
    ...{ account_id, fix_id, source_kind, source_id, source_seq, source_version, judge_id, behavior_id, of_agent },
    ...{ branch: `repair/${fix_id}`, status: 'proposed', policy, set_id, summary, description, asked },
    ...{ entry_count: corrections.length, agent_id: authorOf(input, caller).agent_id },
    visible_to: isShared ? EVERYONE : caller.agent_id,
    ...{ decided_by: null, decision: '', decided_seq: null, decided_at: null, merge_id: null, case_run_id: null },
    ...{ seq: 0, created_at: now },
  };
}

type WrittenFix = { row: queries.FixRow; corrections: readonly Correction[]; input: ProposalInput; caller: Caller };

/** Creates the branch and writes the corrections to it. */
async function writeBranch(
  work: Work,
  { row, corrections, input, caller }: WrittenFix,
): Promise<queries.FixedEntryRow[]> {
  const { account_id } = work;
  const { fix_id, branch: name } = row;
  await requireCurrent(work, corrections);
  checkGiven(work, corrections, name);
  const { agent_id, session_id } = input;
  const description = ['corrects memory', ...shownSummary(row)].join(': ');
  const created = { name, from: MAIN_BRANCH, description, agent_id, session_id };
  const lineage = lineageOf(await createBranch(work, { input: created, caller }));
  await work.waitForSent();
  const places = corrections.map(({ entity_path, key }) => ({ branch: name, entity_path, key, lineage }));
  const set = await EntrySet.load(work, places);
  const author = { agent_id: authorOf(input, caller).agent_id, session_id: session_id ?? caller.session_id };
  const written = corrections.map((one, no) => {
    const draft = draftOf(one, { branch: name, author });
    const { entry } = set.apply(draft, {
      event_type: draft.value === undefined ? 'delete' : 'write',
      details: { fix_id, ...(one.restored ? { restored_from: one.restored.version } : {}) },
      actor_agent_id: author.agent_id,
    });
    return {
      ...{ account_id, fix_id, no, entry_id: one.entry_id, version: one.version, action: one.action },
      restored_version: one.restored?.version ?? null,
      ...{ branch_entry_id: entry.entry_id, branch_version: entry.version, reason: one.why },
      ...{ runs: one.runs && JSON.stringify(one.runs), ledger: JSON.stringify(one.ledger), visible_to: one.visible_to },
    };
  });
  await set.save();
  await work.waitForSent();
  return written;
}

/** What was looked at before the transaction has to be so still. */
async function requireCurrent(work: Work, corrections: readonly Correction[]): Promise<void> {
  const places = corrections.map(({ entity_path, key }) => ({ branch: MAIN_BRANCH, entity_path, key }));
  const set = await EntrySet.load(work, places);
  for (const [i, { version }] of corrections.entries()) {
    const { entity_path, key } = places[i] as (typeof places)[number];
    if (set.get({ branch: MAIN_BRANCH, entity_path, key })?.version !== version)
      throw new Fault('conflict', 'an entry was changed just now: propose the fix again', { entity_path, key });
  }
}

function checkGiven(work: Work, corrections: readonly Correction[], branch: string): void {
  const given = corrections.flatMap(({ entity_path, key, value }) =>
    value === undefined ? [] : [{ entity_path, key, value: new JsonText(value) }],
  );
  if (given.length > 0) checkWrites(work, given as never, { name: 'entries', branch, prepared: undefined });
}

type DraftAuthor = { agent_id: string; session_id: string | null };

/**
 * In the name of who proposes it, also where an earlier version is restored. Who may see an entry stays as it is: an author keeps what
 * is private.
 */
function draftOf(one: Correction, { branch, author }: { branch: string; author: DraftAuthor }): EntryDraft {
  const { entity_path, key, value, restored, visible_to } = one;
  const at = { branch, entity_path, key, ...author, ...(visible_to === EVERYONE ? {} : { agent_id: visible_to }) };
  if (!restored) return { ...at, value };
  const { event: _, ...content } = contentOf(restored);
  return { ...content, ...at };
}

export const proposeHandlers: Handlers = {
  'fixes.propose': prepares<'fixes.propose'>(prepare, exclusive(propose)),
};
