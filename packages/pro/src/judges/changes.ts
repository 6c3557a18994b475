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
  status: string;
};

/** Adds a judge in its first version, in the transaction of the caller. */
export async function addJudge(work: Work, judge: NewJudge, author: JudgeAuthor): Promise<queries.WholeJudge> {
  const { account_id, tx } = work;
  requireSound(judge.definition);
  if (await queries.getJudge(tx, account_id, judge.judge_id))
    throw new Fault('conflict', `there is a judge ${judge.judge_id} already: judges.update changes it`, {
      judge_id: judge.judge_id,
    });
  if (await queries.hasJudges(tx, account_id, MAX_JUDGES))
    throw new Fault('conflict', `the account has ${MAX_JUDGES} judges, and can have no more`, { max: MAX_JUDGES });
  const { definition, name = judge.judge_id, ...rest } = judge;
  const place = { version: 1, definition: JSON.stringify(definition), name };
  return save(work, { ...rest, ...place }, { author, isVersion: true });
}

type SavedJudge = Omit<NewJudge, 'definition' | 'name'> & { version: number; definition: string; name: string };
type Saving = { author: JudgeAuthor; isVersion: boolean; before?: queries.WholeJudge };

function save(work: Work, judge: SavedJudge, { author, isVersion, before }: Saving): queries.WholeJudge {
  const { account_id, now, tx } = work;
  const { judge_id, version, definition, for_agent, for_path, name, description, status, sampling_rate } = judge;
  const seq = emitJudge(work, { judge_id, version, status }, author);
  const { agent_id } = author;
  const head: queries.JudgeRow = {
    ...{ account_id, judge_id, version, name, description, status, sampling_rate, agent_id },
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
  const isSame = name === old.name && description === old.description && status === old.status;
  if (!isVersion && isSame && sampling_rate === old.sampling_rate) return unchanged(toJudge(before));
  const judge = {
    ...{
      judge_id: old.judge_id,
      version: before.version + Number(isVersion),
      name,
      description,
      status,
      sampling_rate,
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
