import {
  bytesOfTexts,
  changed,
  EVERYONE,
  Fault,
  type Handlers,
  hashedBy,
  invalidInput,
  type judgeShapes,
  MAIN_BRANCH,
  type Query,
  storeMore,
  unchanged,
  type Work,
  writes,
} from '@mem-service/server/module';
import { startBackfill } from '../backfills/start.ts';
import { definitionProblems } from '../evaluation/index.ts';
import { authorOf } from '../judges/index.ts';
import { type BehaviorRow, getBehavior, hasBehaviors, upsertBehaviors } from './queries.ts';
import { requireBehavior, toBehavior } from './render.ts';

const MAX_BEHAVIORS = 200;

type BehaviorAuthor = { agent_id: string; session: string };

/** Refuses what the schema of a check cannot see. */
export function requireSoundMatcher(checks: judgeShapes.TraceCheck[]): void {
  const problems = definitionProblems({ kind: 'code', checks });
  if (problems.length > 0)
    throw invalidInput(
      problems.map(({ path, message }) => ({ path: path.replace(/^definition(?:\.checks)?/, 'matcher'), message })),
    );
}

export type NewBehavior = {
  behavior_id: string;
  name?: string | undefined;
  description: string;
  matcher: judgeShapes.TraceCheck[];
  for_agent: string | null;
  for_path: string | null;
  status: string;
  opens_incidents: boolean;
  /** The example that it was found in. */
  example?: { trace_id: string; agent_id: string };
};

type BehaviorSaving = { author: BehaviorAuthor; backfill: boolean };

/** Adds a behavior in its first version, in the transaction of the caller. */
export async function addBehavior(work: Work, behavior: NewBehavior, saving: BehaviorSaving): Promise<BehaviorRow> {
  const { account_id, tx, now } = work;
  const { behavior_id, name = behavior_id, matcher, example, opens_incidents, ...rest } = behavior;
  await requireFree(work, behavior_id);
  const row: BehaviorRow = {
    ...{ account_id, behavior_id, version: 1, name, ...rest, matcher: JSON.stringify(matcher) },
    ...{ trace_id: example?.trace_id ?? null, trace_agent: example?.agent_id ?? null, backfill_id: null },
    opens_incidents: Number(opens_incidents),
    ...{ agent_id: saving.author.agent_id, created_at: now, updated_seq: 0, updated_at: now },
  };
  storeMore(work, bytesOf(row));
  const saved = await begun(work, row, saving);
  work.send(tx.insertMany(upsertBehaviors, [saved]));
  return saved;
}

type OfAccount = { tx: Query; account_id: string };

export async function requireFree(place: OfAccount, id: string): Promise<void> {
  if (await getBehavior(place.tx, place.account_id, id))
    throw new Fault('conflict', `there is a behavior ${id} already: behaviors.update changes it`, { behavior_id: id });
  await requireRoom(place);
}

/** Those that are archived take none. */
async function requireRoom({ tx, account_id }: OfAccount): Promise<void> {
  if (await hasBehaviors(tx, account_id, MAX_BEHAVIORS))
    throw new Fault(
      'conflict',
      `an account can have no more than ${MAX_BEHAVIORS} behaviors: behaviors.delete archives one`,
      { max: MAX_BEHAVIORS },
    );
}

const bytesOf = ({ matcher, description }: BehaviorRow): number => bytesOfTexts([matcher, description]);

/** A new version is reported, and where it is wanted a backfill looks for it in the past. */
async function begun(work: Work, row: BehaviorRow, { author, backfill }: BehaviorSaving): Promise<BehaviorRow> {
  const updated_seq = emitDefined(work, row, author);
  const { behavior_id, for_agent } = row;
  const started = backfill ? await startBackfill(work, { behavior_id, for_agent }, author) : undefined;
  return { ...row, updated_seq, backfill_id: started?.backfill_id ?? null };
}

function emitDefined(work: Work, { behavior_id, version, status }: BehaviorRow, author: BehaviorAuthor): number {
  return work.emit({
    event_type: 'behavior_defined',
    ...author,
    branch: MAIN_BRANCH,
    ...{ entity_path: null, key: null, version: null, visible_to: EVERYONE },
    details: { behavior_id, behavior_version: version, status },
  });
}

const create = writes<'behaviors.create'>(async (work, { input, caller }) => {
  const { agent_id: _, session_id: __, backfill, ...behavior } = input;
  requireSoundMatcher(behavior.matcher);
  const answer = toBehavior(await addBehavior(work, behavior, { author: authorOf(input, caller), backfill }));
  return changed(answer, { resource: input.behavior_id, ...hashedBy(answer) });
});

const update = writes<'behaviors.update'>(async (work, { input, caller }) => {
  const before = await requireBehavior(work.tx, work.account_id, input.behavior_id);
  const { behavior_id, if_version, backfill } = input;
  if (if_version !== undefined && if_version !== before.version)
    throw new Fault('version_conflict', `behavior ${behavior_id} has version ${before.version} by now`, {
      behavior_id,
      current_version: before.version,
    });
  if (input.matcher) requireSoundMatcher(input.matcher);
  const matcher = input.matcher ? JSON.stringify(input.matcher) : before.matcher;
  const { for_agent = before.for_agent, for_path = before.for_path } = input;
  const { name = before.name, description = before.description, status = before.status } = input;
  const isVersion = matcher !== before.matcher || for_agent !== before.for_agent || for_path !== before.for_path;
  const opens_incidents = input.opens_incidents === undefined ? before.opens_incidents : Number(input.opens_incidents);
  const settings = { name, description, status, opens_incidents };
  const isSame = Object.entries(settings).every(([setting, value]) => before[setting as keyof BehaviorRow] === value);
  if (!isVersion && isSame) return unchanged(toBehavior(before));
  if (before.status === 'archived' && status !== 'archived') await requireRoom(work);
  const author = authorOf(input, caller);
  const version = before.version + Number(isVersion);
  const row = { ...before, version, matcher, for_agent, for_path, ...settings };
  const after = isVersion
    ? await begun(work, row, { author, backfill })
    : { ...row, updated_seq: emitDefined(work, row, author) };
  return saved(work, before, { ...after, agent_id: author.agent_id });
});

const remove = writes<'behaviors.delete'>(async (work, { input, caller }) => {
  const before = await requireBehavior(work.tx, work.account_id, input.behavior_id);
  if (before.status === 'archived') return unchanged(toBehavior(before));
  const author = authorOf(input, caller);
  const row = { ...before, status: 'archived', agent_id: author.agent_id };
  return saved(work, before, { ...row, updated_seq: emitDefined(work, row, author) });
});

function saved(work: Work, before: BehaviorRow, row: BehaviorRow) {
  const after = { ...row, updated_at: work.now };
  storeMore(work, bytesOf(after) - bytesOf(before));
  work.send(work.tx.insertMany(upsertBehaviors, [after]));
  const answer = toBehavior(after);
  return changed(answer, {
    resource: before.behavior_id,
    before: hashedBy(toBehavior(before)).after,
    after: hashedBy(answer).after,
  });
}

export const changeHandlers: Handlers = {
  'behaviors.create': create,
  'behaviors.update': update,
  'behaviors.delete': remove,
};
