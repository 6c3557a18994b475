import { describe, expect, it, onTestFinished } from 'vitest';
import { caughtUp } from '../../../tests/briefing/caught-up.ts';
import { backends, caller, openTestApp, type TestApp } from '../../../tests/support/app.ts';
import { sql } from '../../server/src/module.ts';

const NO_DELETE = { kind: 'code' as const, checks: [{ check: 'tool_forbidden' as const, tool: 'delete' }] };

const check = { check: 'pattern', in: 'response_text', pattern: '(', ignore_case: true, not: false };

/** What an import stored before its columns were checked. */
const unreadable = [
  { kind: 'zz' },
  { kind: 'code' },
  { kind: 'code', checks: [{ check: 'zz' }] },
  { kind: 'code', checks: [check] },
  { kind: 'rubric', pass_at: 0.5 },
  { kind: 'llm' },
  [],
];

const traced = async (app: TestApp) =>
  (await app.call('traces.create', { tool_calls: [{ tool_name: 'delete', arguments: {} }] })).trace_id;

async function redefine(app: TestApp, judge_id: string, definition: unknown): Promise<void> {
  const { account_id } = caller();
  await app.kernel.services.database.transaction((tx) =>
    tx.run(
      sql`UPDATE judge_versions SET definition = ${JSON.stringify(definition)} WHERE account_id = ${account_id}
          AND judge_id = ${judge_id}`,
    ),
  );
}

describe.each(backends)('a judge whose definition cannot be read, on %s', (backend) => {
  it.each(unreadable.map((definition) => ({ definition })))(
    '$definition stops no other judge',
    async ({ definition }) => {
      const app = await openTestApp(backend);
      onTestFinished(() => app.close());
      const early = await traced(app);
      await caughtUp(app);
      for (const judge_id of ['broken', 'no-delete'])
        await app.call('judges.create', { judge_id, definition: NO_DELETE });
      await redefine(app, 'broken', definition);
      const trace_id = await traced(app);
      await caughtUp(app);
      const found = async () =>
        (await app.call('verdicts.list', {})).verdicts.map((one) => [one.trace_id, one.judge_id, one.result]);
      expect(await found()).toEqual([[trace_id, 'no-delete', 'fail']]);
      const refused = { code: 'conflict', status: 409, message: expect.stringContaining('definition of judge broken') };
      await expect(app.call('verdicts.judge', { trace_id, judge_id: 'broken' })).rejects.toMatchObject(refused);
      await expect(app.call('backfills.create', { judge_id: 'broken' })).rejects.toMatchObject(refused);
      const { backfill_id } = await app.call('backfills.create', {});
      await caughtUp(app);
      expect(await app.call('backfills.read', { backfill_id })).toMatchObject({ status: 'done', verdicts: 1 });
      expect(await found()).toContainEqual([early, 'no-delete', 'fail']);
      expect((await app.call('judges.list', {})).judges.map(({ judge_id }) => judge_id)).toEqual([
        'broken',
        'no-delete',
      ]);
      expect(await app.call('judges.delete', { judge_id: 'broken' })).toMatchObject({ status: 'archived' });
    },
  );
});
