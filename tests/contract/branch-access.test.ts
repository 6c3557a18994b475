import { type OperationName, operationNames } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller, Principal } from '../../packages/server/src/kernel/index.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import {
  definition,
  fieldsOf,
  type JsonObject,
  type KnownIds,
  learn,
  newInput,
  nthInput,
  outcomeOf,
  wholePage,
} from './table.ts';

const MARK = 'foreignmark';
const FOREIGN = `${MARK}/branch`;
const CHILD = `${MARK}/child`;
const DENIED = 'branch_access_denied';

const withKey = (id: string, type: Principal['type'] = 'agent'): Partial<Caller> => ({
  actor: `key/${id}`,
  holder: `key/${id}`,
  agent_id: 'agent/reader',
  key: { key_id: id, name: id, type },
});
const ADMIN = { ...withKey('of-admin', 'admin'), agent_id: 'agent/author' };
const STRANGER = withKey('of-stranger');

/** A field of an operation that names a branch, and what a key needs there. */
type BranchField = [name: OperationName, field: string, needs: 'read' | 'read_write'];

const inAccount = operationNames.filter((name) => definition(name).effect !== 'control');
const named = inAccount.flatMap((name): BranchField[] => {
  const { branches_in = {}, effect } = definition(name);
  const own: BranchField[] =
    'branch' in fieldsOf(name) ? [[name, 'branch', effect === 'write' ? 'read_write' : 'read']] : [];
  return [...own, ...Object.entries(branches_in).map(([field, needs]): BranchField => [name, field, needs])];
});
const isOfAdmins = (name: OperationName) => definition(name).admin && !definition(name).narrowed_by;
const ofAgents = named.filter(([name]) => !isOfAdmins(name));
/** Only the creator and admins grant, whatever is granted to others. */
const MANAGING: readonly string[] = ['access.grant', 'access.revoke'];

/** An example about the branch, with `main` wherever else a branch is named. */
const onBranch = (name: OperationName, field: string, branch = FOREIGN): JsonObject => {
  const others = Object.keys(definition(name).branches_in ?? {}).map((other) => [other, 'main']);
  return { ...newInput(name, MARK), ...Object.fromEntries(others), [field]: branch };
};
/** Reads that show what happened on any branch. */
const HIDING = [
  'agents.activity',
  'agents.timeline',
  'branches.list',
  'commits.read',
  'conflicts.list',
  'conflicts.read',
  'dimensions.list',
  'log.list',
  'log.stream',
  'merges.list',
  'merges.read',
  'sessions.explain',
  'tags.list',
  'traces.read',
];

const codeOf = (outcome: JsonObject) => (outcome.refused as { code?: string } | undefined)?.code;

it('every operation that can miss a branch says which of its fields name one', () => {
  const missing = inAccount.filter((name) => definition(name).errors.includes('branch_not_found'));
  expect([...new Set(named.map(([name]) => name))].sort()).toEqual([...missing].sort());
  for (const [name, field] of named) expect(Object.keys(fieldsOf(name)), name).toContain(field);
});

describe.each(backends)('access to a branch on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
    await app.call('branches.create', { name: FOREIGN }, ADMIN);
    await app.call('tags.create', { name: 'of-foreign', ref: FOREIGN }, ADMIN);
  });
  afterAll(() => app.close());
  const ask = async (name: OperationName, input: JsonObject, as = STRANGER) => outcomeOf(app, name, { input, as });

  it.each(ofAgents)('%s is denied without a grant for %s', async (name, field, needs) => {
    const answer = await ask(name, onBranch(name, field));
    expect(answer).toMatchObject({ refused: { status: 403, code: DENIED, branch: FOREIGN, permission: needs } });
  });

  it.each(ofAgents)('%s is denied for a tag of the branch in %s', async (name, field) => {
    const answer = await ask(name, onBranch(name, field, 'tags/of-foreign'));
    expect(codeOf(answer)).toBe(DENIED);
  });

  it.each(named.filter(([name]) => isOfAdmins(name)))('%s is for admins, whatever %s names', async (name, field) => {
    expect(codeOf(await ask(name, onBranch(name, field)))).toBe('forbidden');
  });

  describe('that may be read', () => {
    const GRANTED = 'granted/branch';
    let reader: Partial<Caller>;
    beforeAll(async () => {
      const { key_id } = await app.call('keys.create', { name: 'reader' }, ADMIN);
      reader = withKey(key_id);
      await app.call('branches.create', { name: GRANTED }, ADMIN);
      await app.call('access.grant', { name: GRANTED, grantee_type: 'api_key', grantee_id: key_id }, ADMIN);
    });

    it.each(ofAgents)('%s with %s is allowed for reading alone', async (name, field, needs) => {
      const code = codeOf(await ask(name, onBranch(name, field, GRANTED), reader));
      if (needs === 'read_write' || MANAGING.includes(name)) expect(code).toBe(DENIED);
      else expect([DENIED, 'forbidden']).not.toContain(code);
    });

    it('is lost at once', async () => {
      const grant = { name: GRANTED, grantee_type: 'api_key', grantee_id: reader.key?.key_id as string } as const;
      await app.call('access.grant', grant, ADMIN);
      const asked = ofAgents.filter(([, , needs]) => needs === 'read');
      await app.call('access.revoke', grant, ADMIN);
      const codes = await Promise.all(
        asked.map(async ([name, field]) => codeOf(await ask(name, onBranch(name, field, GRANTED), reader))),
      );
      expect(new Set(codes)).toEqual(new Set([DENIED]));
    });
  });

  describe('is needed to see what happened there', () => {
    const reads = inAccount.filter((name) => definition(name).effect === 'read' && !definition(name).admin);
    const known: KnownIds = {};
    let granted: Partial<Caller>;
    beforeAll(async () => {
      const writing = named.filter(([name, field]) => field === 'branch' && definition(name).effect === 'write');
      for (const [name] of writing) {
        const answer = await ask(name, { ...nthInput(name, 1, { mark: MARK, known }), branch: FOREIGN }, ADMIN);
        if (!answer.refused && answer.dry_run !== true) learn(known, answer);
      }
      await layMerges();
      const { key_id } = await app.call('keys.create', { name: 'granted' }, ADMIN);
      granted = withKey(key_id);
      for (const name of [FOREIGN, CHILD])
        await app.call('access.grant', { name, grantee_type: 'api_key', grantee_id: key_id }, ADMIN);
    });

    /** A merge of each status between branches. */
    async function layMerges() {
      const entry = { entity_path: `${MARK}/merged`, key: 'k' };
      const write = (branch: string, value: number) => app.call('entries.write', { ...entry, value, branch }, ADMIN);
      await write(FOREIGN, 1);
      await app.call('branches.create', { name: CHILD, from: FOREIGN }, ADMIN);
      await write(CHILD, 2);
      const merge = { name: CHILD, target: FOREIGN, keep_open: true };
      await app.call('branches.merge', { ...merge, merge_id: 'merge-done' }, ADMIN);
      await write(CHILD, 3);
      await write(FOREIGN, 4);
      const manual = { ...merge, strategy: 'MANUAL', merge_id: 'merge-open' } as const;
      expect(codeOf(await ask('branches.merge', manual, ADMIN))).toBe('merge_conflicts');
    }

    /** The same question as an example asks, and as widely as it can be asked. */
    const waysOf = (name: OperationName): JsonObject[] => {
      const fields = fieldsOf(name);
      const ids = Object.fromEntries(
        Object.entries(known).filter(([field]) => field in fields && field.endsWith('_id')),
      );
      const { branch: _, ...example } = { ...(definition(name).example(0) as JsonObject), ...ids };
      const asked = [example];
      if ('entity_path' in fields && !('key' in example)) asked.push({ ...example, entity_path: '*' });
      if ('after' in fields) asked.push({ after: 0 });
      if ('all_branches' in fields) asked.push({ after: 0, all_branches: true });
      if ('merge_id' in fields)
        asked.push(...['merge-done', 'merge-open'].map((merge_id) => ({ ...example, merge_id })));
      if (name.startsWith('agents.') && 'agent_id' in fields) asked.push({ ...example, agent_id: ADMIN.agent_id });
      if ('outcome_ref' in fields)
        asked.push({ outcome_ref: nthInput('outcomes.commit', 1, { mark: MARK }).outcome_ref });
      return asked.map((input) => wholePage(name, input));
    };

    it('and is laid for the reads that have to hide it', async () => {
      const shown: string[] = [];
      for (const name of reads)
        for (const input of waysOf(name))
          if (JSON.stringify(await ask(name, input, granted)).includes(MARK)) shown.push(name);
      expect([...new Set(shown)].sort()).toEqual(HIDING);
    });

    it.each(reads)('%s', async (name) => {
      for (const input of waysOf(name)) {
        const answer = await ask(name, input);
        const isEchoed = 'outcome_ref' in input && answer.refused !== undefined;
        const isOfMerge = 'merge_id' in input && codeOf(answer) === DENIED;
        if (!isEchoed && !isOfMerge) expect(JSON.stringify(answer), JSON.stringify(input)).not.toContain(MARK);
      }
    });

    it('also of what a session that ended on main has read there', async () => {
      const session = { ...ADMIN, session_id: 'across' };
      const address = { entity_path: `${MARK}/merged`, key: 'k' };
      await app.call('entries.read', { ...address, branch: FOREIGN }, session);
      const { trace_id } = await app.call(
        'outcomes.commit',
        { outcome_ref: 'DEP-1', outcome_type: 'success', branch: 'main' },
        session,
      );
      const readsOf = async (as: Partial<Caller>) =>
        (await app.call('traces.read', { trace_id: trace_id as string }, as)).causal_entries;
      expect(await readsOf(granted)).toMatchObject([{ ...address, branch: FOREIGN }]);
      expect(await readsOf(STRANGER)).toEqual([]);
    });
  });
});
