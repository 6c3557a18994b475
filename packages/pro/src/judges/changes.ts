import {
  bytesOfTexts,
  type Caller,
  changed,
  EVERYONE,
  Fault,
  type Handlers,
  hashedBy,
  invalidInput,
  type judgeShapes,
  MAIN_BRANCH,
  sessionName,
  storeMore,
  unchanged,
  type Work,
  writes,
} from '@mem-service/server/module';
import { definitionProblems } from '../evaluation/index.ts';
import * as queries from './queries.ts';
import { definitionIn, requireJudge, toJudge } from './render.ts';
import { changesBetween } from './rules/changes.ts';

const MAX_JUDGES = 500;
const MAX_VERSIONS = 1000;

type JudgeAuthor = { agent_id: string; session: string };

export function authorOf(
  input: { agent_id?: string | undefined; session_id?: string | undefined },
  caller: Caller,
): JudgeAuthor {
  const { agent_id = caller.agent_id, session_id = caller.session_id } = input;
  return { agent_id, session: sessionName(session_id, caller) };
}

/** Refuses what the schema of a definition cannot see. */
export function requireSound(definition: judgeShapes.JudgeDefinition): void {
  const problems = definitionProblems(definition);
  if (problems.length > 0) throw invalidInput(problems);
}

export type NewJudge = {
  judge_id: string;
  name?: string | undefined;
  description: string;
  definition: judgeShapes.JudgeDefinition;
  for_agent: string | null;
  for_path: string | null;
  sampling_rate: number;
  evidence_weight?: number;
  status: string;
};

/** Adds a judge in its first version, in the transaction of the caller. */
export async function addJudge(work: Work, judge: NewJudge, author: JudgeAuthor): Promise<queries.WholeJudge> {
  const { judge_id } = judge;
  requireSound(judge.definition);
  if (await queries.getJudge(work.tx, work.account_id, judge_id))
    throw new Fault('conflict', `there is a judge ${judge_id} already: judges.update changes it`, { judge_id });
  const [added] = await addJudges(work, [judge], author);
  return added as queries.WholeJudge;
}

/** Adds judges whose definitions are sound and whose ids are free. */
export async function addJudges(
  work: Work,
  judges: readonly NewJudge[],
  author: JudgeAuthor,
): Promise<queries.WholeJudge[]> {
  await requireRoom(work, judges.length);
  return judges.map(({ definition, name, evidence_weight = 0, ...rest }) => {
    const place = {
      ...{ version: 1, definition: JSON.stringify(definition), name: name ?? rest.judge_id },
      evidence_weight: storedWeight(evidence_weight),
    };
    return save(work, { ...rest, ...place }, { author, isVersion: true });
  });
}

/** Those that are archived take none. */
async function requireRoom({ tx, account_id }: Work, count: number): Promise<void> {
  if (await queries.hasJudges(tx, account_id, MAX_JUDGES - count + 1))
    throw new Fault('conflict', `an account can have no more than ${MAX_JUDGES} judges: judges.delete archives one`, {
      max: MAX_JUDGES,
    });
}

const storedWeight = (weight: number): number | null => (weight === 0 ? null : weight);

type SavedJudge = Omit<NewJudge, 'definition' | 'name' | 'evidence_weight'> &
  Pick<queries.WholeJudge, 'version' | 'definition' | 'name' | 'evidence_weight'>;
type Saving = { author: JudgeAuthor; isVersion: boolean; before?: queries.WholeJudge };

function save(work: Work, judge: SavedJudge, { author, isVersion, before }: Saving): queries.WholeJudge {
  const { account_id, now, tx } = work;
  const { judge_id, version, definition, for_agent, for_path, name, description, status } = judge;
  const { sampling_rate, evidence_weight } = judge;
  const seq = emitJudge(work, { judge_id, version, status }, author);
  const { agent_id } = author;
  const head: queries.JudgeRow = {
    ...{ account_id, judge_id, version, name, description, status, sampling_rate, evidence_weight, agent_id },
    ...{ updated_seq: seq, updated_at: now },
  };
  work.send(tx.insertMany(queries.upsertJudges, [head]));
  if (isVersion) {
    storeMore(work, bytesOfTexts([definition]));
    const row = { account_id, judge_id, version, definition, for_agent, for_path, agent_id, seq, created_at: now };
    work.send(tx.insertMany(queries.insertVersions, [row]));
  }
  const { created_at = now, defined_by = agent_id } = isVersion ? {} : (before ?? {});
  return { ...head, definition, for_agent, for_path, created_at, defined_by };
}

function emitJudge(
  work: Work,
  { judge_id, version, status }: { judge_id: string; version: number; status: string },
  author: JudgeAuthor,
): number {
  return work.emit({
    event_type: 'judge_defined',
    ...author,
    branch: MAIN_BRANCH,
    ...{ entity_path: null, key: null, version: null, visible_to: EVERYONE },
    details: { judge_id, judge_version: version, status },
  });
}

const create = writes<'judges.create'>(async (work, { input, caller }) => {
  const { agent_id: _, session_id: __, ...judge } = input;
  const answer = toJudge(await addJudge(work, judge, authorOf(input, caller)));
  return changed(answer, { resource: input.judge_id, ...hashedBy(answer) });
});

const update = writes<'judges.update'>(async (work, { input, caller }) => {
  const { account_id, tx } = work;
  const before = await requireJudge(tx, account_id, input.judge_id);
  if (input.if_version !== undefined && input.if_version !== before.version)
    throw new Fault('version_conflict', `judge ${input.judge_id} has version ${before.version} by now`, {
      judge_id: input.judge_id,
      current_version: before.version,
    });
  const old = { ...before, definition: definitionIn(before) };
  const { definition = old.definition, for_agent = old.for_agent, for_path = old.for_path } = input;
  requireSound(definition);
  const isVersion =
    changesBetween(
      { definition: old.definition, for_agent: old.for_agent, for_path: old.for_path },
      { definition, for_agent, for_path },
    ).length > 0;
  if (isVersion && before.version >= MAX_VERSIONS)
    throw new Fault('conflict', `judge ${input.judge_id} has ${MAX_VERSIONS} versions, and can have no more`);
  const { name = old.name, description = old.description, sampling_rate = old.sampling_rate } = input;
  const { status = old.status } = input;
  const evidence_weight =
    input.evidence_weight === undefined ? old.evidence_weight : storedWeight(input.evidence_weight);
  const isSame = name === old.name && description === old.description && status === old.status;
  const areSame = sampling_rate === old.sampling_rate && evidence_weight === old.evidence_weight;
  if (!isVersion && isSame && areSame) return unchanged(toJudge(before));
  if (before.status === 'archived' && status !== 'archived') await requireRoom(work, 1);
  const judge = {
    ...{
      judge_id: old.judge_id,
      version: before.version + Number(isVersion),
      name,
      description,
      status,
      sampling_rate,
      evidence_weight,
    },
    ...{ definition: isVersion ? JSON.stringify(definition) : before.definition, for_agent, for_path },
  };
  const answer = toJudge(save(work, judge, { author: authorOf(input, caller), isVersion, before }));
  return changed(answer, {
    resource: old.judge_id,
    before: hashedBy(toJudge(before)).after,
    after: hashedBy(answer).after,
  });
});

const remove = writes<'judges.delete'>(async (work, { input, caller }) => {
  const before = await requireJudge(work.tx, work.account_id, input.judge_id);
  if (before.status === 'archived') return unchanged(toJudge(before));
  const judge = { ...before, status: 'archived' };
  const answer = toJudge(save(work, judge, { author: authorOf(input, caller), isVersion: false, before }));
  return changed(answer, {
    resource: before.judge_id,
    before: hashedBy(toJudge(before)).after,
    after: hashedBy(answer).after,
  });
});

export const changeHandlers: Handlers = { 'judges.create': create, 'judges.update': update, 'judges.delete': remove };
