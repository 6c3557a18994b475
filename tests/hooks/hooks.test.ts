import { Fault } from '@mem-service/contract';
import { describe, expect, it } from 'vitest';
import {
  type Hooks,
  type Lineage,
  type LogEvent,
  MAIN_LINEAGE,
  type Module,
  reads,
  unchanged,
  writes,
} from '../../packages/server/src/kernel/index.ts';
import { refusal } from '../entries/support.ts';
import { call, openKernel } from '../faults/support/open-kernel.ts';
import { backends, caller } from '../support/app.ts';

const moduleOf = (name: string, hooks: Hooks, handlers: Module['handlers'] = {}): Module => ({
  name,
  migrations: [],
  handlers,
  hooks: () => hooks,
});

const entry = { entity_path: 'a', key: 'k' };

describe.each(backends)('hooks on %s', (backend) => {
  it('the first module that knows a branch resolves it, at once or after a look into the store', async () => {
    const now: Lineage = [{ branch: 'now', up_to_seq: null }, ...MAIN_LINEAGE];
    const later: Lineage = [{ branch: 'later', up_to_seq: null }];
    const seen: Lineage[] = [];
    const probe = moduleOf(
      'probe',
      {},
      {
        'stats.read': reads<'stats.read'>(async ({ view }) => {
          seen.push(view.lineage);
          return {} as never;
        }),
        'entries.restore': writes<'entries.restore'>(async (_work, { lineage }) => {
          seen.push(lineage);
          return unchanged({} as never);
        }),
      },
    );
    const { kernel } = await openKernel(backend, {
      extra: [
        moduleOf('quick', { lineage: (branch) => (branch === 'now' ? now : undefined) }),
        moduleOf('slow', {
          async lineage(branch, { read, account_id }) {
            const found = await read.get<{ branch: string }>({
              text: 'SELECT branch FROM events WHERE account_id = ? AND branch = ?',
              values: [account_id, branch],
            });
            return found || branch === 'later' ? later : undefined;
          },
        }),
        probe,
      ],
    });
    await call(kernel, 'stats.read', {});
    await call(kernel, 'stats.read', { branch: 'now' });
    await call(kernel, 'stats.read', { branch: 'later' });
    await call(kernel, 'entries.restore', { ...entry, version: 1, branch: 'now' });
    expect(seen).toEqual([MAIN_LINEAGE, now, later, now]);
    expect(await refusal(call(kernel, 'stats.read', { branch: 'nobody-knows' }))).toMatchObject({
      code: 'branch_not_found',
      branch: 'nobody-knows',
    });
  });

  it('a branch that shows nothing at all is no branch', async () => {
    const { kernel } = await openKernel(backend, { extra: [moduleOf('empty', { lineage: () => [] })] });
    const refused = { code: 'branch_not_found', branch: 'nothing' };
    expect(await refusal(call(kernel, 'entries.list', { branch: 'nothing' }))).toMatchObject(refused);
    const write = { ...entry, value: 1, branch: 'nothing' };
    expect(await refusal(call(kernel, 'entries.write', write))).toMatchObject(refused);
  });

  it('a branch that ends in the past can be read and not written to', async () => {
    const past: Lineage = [{ branch: 'main', up_to_seq: 1 }];
    const { kernel } = await openKernel(backend, { extra: [moduleOf('past', { lineage: () => past })] });
    const write = { ...entry, value: 1, branch: 'yesterday' };
    expect(await refusal(call(kernel, 'entries.write', write))).toMatchObject({
      code: 'branch_read_only',
      status: 409,
      branch: 'yesterday',
    });
    await expect(call(kernel, 'entries.list', { branch: 'yesterday' })).resolves.toBeDefined();
  });

  it('authorize refuses with what it finds in the store of the account', async () => {
    const { kernel } = await openKernel(backend, {
      extra: [
        moduleOf('frozen', {
          async authorize(name, input, { read, account_id }) {
            if (name !== 'entries.write') return;
            const found = await read.get({
              text: 'SELECT seq FROM events WHERE account_id = ? AND key = ?',
              values: [account_id, String(input.key)],
            });
            if (found) throw new Fault('forbidden', 'written once already');
          },
        }),
        moduleOf('quick', {
          authorize(name) {
            if (name === 'entries.delete') throw new Fault('forbidden', 'nothing is deleted here');
          },
        }),
      ],
    });
    await call(kernel, 'entries.write', { ...entry, value: 1 });
    expect(await refusal(call(kernel, 'entries.write', { ...entry, value: 2 }))).toMatchObject({
      code: 'forbidden',
      detail: 'written once already',
    });
    expect(await refusal(call(kernel, 'entries.delete', entry))).toMatchObject({ detail: 'nothing is deleted here' });
    expect(await call(kernel, 'entries.read', entry)).toMatchObject({ value: 1, version: 1 });
  });

  it('committed is given what was committed before the request is answered, and cannot undo it', async () => {
    const seen: (readonly LogEvent[])[] = [];
    const { kernel } = await openKernel(backend, {
      extra: [
        moduleOf('throws', {
          committed() {
            throw new Error('a bug in a hook');
          },
        }),
        moduleOf('listens', {
          committed: (events, accountId) => {
            expect(accountId).toBe(caller().account_id);
            seen.push(events);
          },
        }),
      ],
    });
    await call(kernel, 'entries.write', { ...entry, value: 1 });
    expect(seen.flat()).toMatchObject([{ event_type: 'write', key: 'k', seq: 1 }]);
    await refusal(call(kernel, 'entries.write', { ...entry, value: 2, if_version: 7 }));
    await call(kernel, 'entries.read', entry);
    expect(seen.flat()).toHaveLength(1);
  });
});
