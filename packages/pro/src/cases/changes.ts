import {
  bytesOfTexts,
  type Caller,
  caseShapes,
  changed,
  EVERYONE,
  Fault,
  type Handlers,
  hashedBy,
  invalidInput,
  type judgeShapes,
  MAIN_BRANCH,
  requireTrace,
  storeMore,
  type TraceHeader,
  unchanged,
  type Work,
  writes,
} from '@mem-service/server/module';
import { authorOf, definitionIn, requireJudge, requireSound } from '../judges/index.ts';
import * as queries from './queries.ts';
import { requireCase, toCase } from './render.ts';

const MAX_CASES = 2000;

type CaseAuthor = { agent_id: string; session: string };

const SUCCESS: judgeShapes.CheckedDefinition = {
  kind: 'code',
  checks: [{ check: 'outcome', in: ['success', 'clean_deploy'], not: false }],
};

const create = writes<'cases.create'>(async (work, { input, caller }) => {
  const { account_id, tx, now } = work;
  const { case_id, set_id, name = case_id, description } = input;
  if (await queries.getCase(tx, account_id, case_id))
    throw new Fault('conflict', `there is a case ${case_id} already: cases.update changes it`, { case_id });
  if (await queries.hasCases(tx, account_id, MAX_CASES))
    throw new Fault('conflict', `the account has ${MAX_CASES} cases, and can have no more`, { max: MAX_CASES });
  await requireRoom(work, set_id);
  const expected = JSON.stringify((await expectedIn(work, input)) ?? SUCCESS);
  const from = await takenFrom(work, caller, input);
  const task_input = input.task_input ?? from.task_input;
  const { agent_id, session } = authorOf(input, caller);
  const row: queries.CaseRow = {
    ...{ account_id, case_id, set_id, version: 1, name, description, task_input, expected },
    ...{ trace_id: from.trace_id, trace_agent: from.trace_agent, agent_id, created_at: now },
    ...{ updated_seq: 0, updated_at: now },
  };
  const answer = toCase(save(work, row, { agent_id, session }));
  storeMore(work, bytesOfTexts([task_input, expected, description]));
  return changed(answer, { resource: case_id, ...hashedBy(answer) });
});

const update = writes<'cases.update'>(async (work, { input, caller }) => {
  const before = await requireCase(work.tx, work.account_id, input.case_id);
  const given = await expectedIn(work, input);
  const expected = given ? JSON.stringify(given) : before.expected;
  const { set_id = before.set_id, name = before.name, description = before.description } = input;
  const { task_input = before.task_input } = input;
  if (set_id !== before.set_id) await requireRoom(work, set_id);
  const isSame =
    expected === before.expected &&
    set_id === before.set_id &&
    name === before.name &&
    description === before.description &&
    task_input === before.task_input;
  if (isSame) return unchanged(toCase(before));
  const { agent_id, session } = authorOf(input, caller);
  const row: queries.CaseRow = {
    ...before,
    ...{ set_id, name, description, task_input, expected, agent_id, updated_at: work.now },
    version: before.version + Number(expected !== before.expected),
  };
  const answer = toCase(save(work, row, { agent_id, session }));
  const bytesOf = (one: queries.CaseRow) => bytesOfTexts([one.task_input, one.expected, one.description]);
  storeMore(work, bytesOf(row) - bytesOf(before));
  return changed(answer, {
    resource: input.case_id,
    before: hashedBy(toCase(before)).after,
    after: hashedBy(answer).after,
  });
});

const remove = writes<'cases.delete'>(async (work, { input, caller }) => {
  const { case_id } = input;
  const before = await requireCase(work.tx, work.account_id, case_id);
  emitCase(work, { case_id, set_id: before.set_id, status: 'deleted' }, authorOf(input, caller));
  await queries.deleteCase(work.tx, work.account_id, case_id);
  storeMore(work, -bytesOfTexts([before.task_input, before.expected, before.description]));
  return changed(
    { case_id, deleted: true },
    { resource: case_id, before: hashedBy(toCase(before)).after, after: null },
  );
});

/** A run looks at all cases of a set in one request. */
async function requireRoom({ tx, account_id }: Work, set_id: string): Promise<void> {
  if ((await queries.countInSet(tx, account_id, set_id)) >= caseShapes.MAX_CASES_IN_SET)
    throw new Fault(
      'conflict',
      `set ${set_id} has ${caseShapes.MAX_CASES_IN_SET} cases, and can have no more: begin another set`,
      {
        set_id,
        max: caseShapes.MAX_CASES_IN_SET,
      },
    );
}

type GivenExpectation = {
  expected?: judgeShapes.CheckedDefinition | undefined;
  judge_id?: string | undefined;
};

async function expectedIn(
  { tx, account_id }: Work,
  { expected, judge_id }: GivenExpectation,
): Promise<judgeShapes.CheckedDefinition | undefined> {
  if (expected !== undefined && judge_id !== undefined)
    throw invalidInput([{ path: 'judge_id', message: 'stands in place of `expected`: give one of them' }]);
  if (judge_id !== undefined) {
    const definition = definitionIn(await requireJudge(tx, account_id, judge_id));
    if (definition.kind !== 'llm') return definition;
    throw invalidInput([{ path: 'judge_id', message: 'asks a language model: cases are judged by checks alone' }]);
  }
  if (expected !== undefined) requireSound(expected);
  return expected;
}

type TakenFrom = Pick<queries.CaseRow, 'trace_id' | 'trace_agent' | 'task_input'>;

/** Every agent sees a case, so it is made of what every agent may see. */
async function takenFrom(
  { tx, services }: Work,
  caller: Caller,
  { trace_id, case_id }: { trace_id?: string | undefined; case_id: string },
): Promise<TakenFrom> {
  if (trace_id === undefined) return { trace_id: null, trace_agent: null, task_input: null };
  const trace = await requireTrace({ read: tx, caller, services }, trace_id, { case_id });
  if (trace.visible_to !== '' || trace.branch !== MAIN_BRANCH)
    throw invalidInput([
      { path: 'trace_id', message: 'every agent sees a case: it is made from a trace on main that is not private' },
    ]);
  const { task_input } = JSON.parse(trace.header) as TraceHeader;
  return { trace_id: trace.trace_id, trace_agent: trace.agent_id, task_input };
}

function save(work: Work, row: queries.CaseRow, author: CaseAuthor): queries.CaseRow {
  const { case_id, set_id } = row;
  const saved = { ...row, updated_seq: emitCase(work, { case_id, set_id, status: 'kept' }, author) };
  work.send(work.tx.insertMany(queries.upsertCases, [saved]));
  return saved;
}

const emitCase = (
  work: Work,
  details: { case_id: string; set_id: string; status: string },
  author: CaseAuthor,
): number =>
  work.emit({
    event_type: 'case_changed',
    ...author,
    branch: MAIN_BRANCH,
    ...{ entity_path: null, key: null, version: null, visible_to: EVERYONE },
    details,
  });

export const changeHandlers: Handlers = { 'cases.create': create, 'cases.update': update, 'cases.delete': remove };
