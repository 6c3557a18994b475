import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dump } from '../contract/dump.ts';
import { type Backend, backends, caller, readyPlace } from '../support/app.ts';
import { get, type Hosted, type NewAccount, openHosted, patch, post, remove, write } from '../support/hosted.ts';
import { watchDatabase } from '../support/statements.ts';

const MARK = 'zqvxaccountsecret9177';
const at = (id: string) => `/api/v1/internal/accounts/${id}`;

async function fill(service: Hosted, { key }: NewAccount, rounds = 3): Promise<void> {
  for (let i = 0; i < rounds; i++) await service.as(key, write(`${MARK}/path-${i}`, 'k', `${MARK} says ${i}`));
  await service.as(key, get(`/api/v1/entries/${MARK}/path-0/k`));
  await service.as(
    key,
    post('/api/v1/outcomes', {
      outcome_ref: `${MARK}-ref`,
      outcome_type: 'success',
      task_input: `${MARK} asked`,
      response_text: `${MARK} answered`,
    }),
  );
}

/** The lines of an export, as they are. */
const linesOf = (text: string) => text.split('\n').filter((line) => line !== '');

/** Rows that an account has left, but the one that says that its id was used. */
async function leftOf(service: Hosted, accountId: string): Promise<string[]> {
  const rows = await dump(service.app, accountId);
  return Object.entries(rows).flatMap(([table, lines]) => (table === 'accounts' ? [] : lines.map(() => table)));
}

describe.each(backends)('deleting an account on %s', (backend) => {
  let service: Hosted;
  let other: NewAccount;
  let ofOther: unknown;
  beforeAll(async () => {
    service = await openHosted(backend);
    other = await service.newAccount({ name: 'Other' });
    await fill(service, other);
    // When keys were used is written now and then.
    await service.app.jobs.sweep();
    ofOther = await dump(service.app, other.account_id);
  });
  afterAll(() => service.close());

  it('is refused until it was exported as it is', async () => {
    const account = await service.newAccount();
    await fill(service, account);
    const path = at(account.account_id);
    expect(await service.control(remove(path))).toMatchObject({ status: 409, json: { code: 'conflict' } });
    await service.control(get(`${path}/export`));
    await service.as(account.key, write('late/change'));
    expect((await service.control(remove(path))).json).toMatchObject({
      detail: expect.stringContaining('has changed since it was exported'),
    });
    await service.control(patch(path, { status: 'suspended' }));
    const { text } = await service.control(get(`${path}/export`));
    expect(linesOf(text).length).toBeGreaterThan(10);
    expect((await service.control(remove(path))).json).toMatchObject({ status: 'deleted' });
  });

  it('an export that was not read to its end does not count', async () => {
    const account = await service.newAccount();
    await fill(service, account);
    const { account_id } = account;
    const { kernel } = service.app;
    const control = { ...caller({ account_id: '', actor: 'control' }), control: true as const };
    const lines = await kernel.list('accounts.export', { account_id }, control);
    await lines.next();
    await lines.return();
    expect((await service.control(remove(at(account_id)))).json).toMatchObject({
      detail: expect.stringContaining('was not exported'),
    });
  });

  it('by force needs its name', async () => {
    const { account_id } = await service.newAccount({ name: 'By force' });
    const tries = ['?force=true', '?force=true&name=by+force', '?name=By+force'];
    for (const query of tries) expect((await service.control(remove(at(account_id) + query))).status).toBe(409);
    expect((await service.control(remove(`${at(account_id)}?force=true&name=By+force`))).status).toBe(200);
  });

  it('stops its keys, removes every row, and reports when the last was deleted; other accounts keep theirs', async () => {
    const account = await service.newAccount({ name: MARK });
    await fill(service, account, 12);
    const path = at(account.account_id);
    const forced = `${path}?force=true&name=${MARK}`;
    expect((await service.control(remove(forced))).json).toMatchObject({ purged_at: null });
    expect((await service.as(account.key, get('/api/v1/stats'))).status).toBe(401);
    expect((await service.control(get(path))).status).toBe(404);
    expect((await service.control(post(`${path}/api-keys`, {}))).status).toBe(404);
    expect((await service.control(get(`${path}/export`))).status).toBe(404);
    await service.app.jobs.sweep();
    expect(await leftOf(service, account.account_id)).toEqual([]);
    expect((await service.control(remove(forced))).json).toMatchObject({ purged_at: expect.any(String) });
    expect((await service.control(get('/api/v1/internal/accounts?limit=1000'))).text).not.toContain(account.account_id);
    expect(await dump(service.app, other.account_id)).toEqual(ofOther);
    expect((await service.as(other.key, get(`/api/v1/entries/${MARK}/path-0/k`))).status).toBe(200);
  });

  it('never gives its id away again', async () => {
    const { account_id } = await service.newAccount({ name: 'Once' });
    await service.control(remove(`${at(account_id)}?force=true&name=Once`));
    await service.app.jobs.sweep();
    const again = { name: 'Twice', account_id };
    expect((await service.control(post('/api/v1/internal/accounts', again))).status).toBe(409);
    expect((await service.control(post('/api/v1/internal/accounts', { ...again, empty: true }))).status).toBe(409);
  });

  it('of what the service itself works with is refused', async () => {
    const self = at('00000000-0000-0000-0000-000000000001');
    expect((await service.control(remove(`${self}?force=true&name=`))).status).toBeGreaterThanOrEqual(409);
  });

  it('what an export holds can be put into an account that was made empty', async () => {
    const { text } = await service.control(get(`${at(other.account_id)}/export`));
    const lines = linesOf(text);
    const made = await service.newAccount({ name: 'Moved', empty: true });
    expect((await service.as(made.key, get('/api/v1/import'))).json).toMatchObject({ is_empty: true });
    expect((await service.as(made.key, post('/api/v1/import', { from: 0, lines }))).status).toBe(200);
    expect((await service.as(made.key, post('/api/v1/import/finish', {}))).status).toBe(200);
    const read = await service.as(made.key, get(`/api/v1/entries/${MARK}/path-1/k`));
    expect(read.json).toMatchObject({ value: `${MARK} says 1` });
    expect((await service.as(made.key, get('/api/v1/admin/audit/verify'))).json).toMatchObject({ problems: [] });
  });

  it('an export by the control plane has its line in the audit trail', async () => {
    const { key, account_id } = await service.newAccount();
    await service.control(get(`${at(account_id)}/export`));
    const { json } = await service.as(key, get('/api/v1/admin/audit?action=accounts.export'));
    expect(json.entries).toEqual([expect.objectContaining({ actor: 'control' })]);
  });
});

describe.each(backends)('a deletion that is cut short on %s', (backend) => {
  it('is ended by the next process', async () => {
    const place = await readyPlace(backend, { rowSecurity: 'on' });
    let left = 3;
    const failing: HostedFailing = (database) =>
      watchDatabase(database, ({ text }) => {
        if (/^DELETE FROM (?!usage_days|session|api_keys)/.test(text) && left-- <= 0) throw new Error('cut');
      });
    const first = await openHosted(backend, { app: { place, wrapDatabase: failing } });
    const account = await first.newAccount({ name: 'Cut' });
    left = 1000;
    await fill(first, account);
    left = 3;
    await first.control(remove(`${at(account.account_id)}?force=true&name=Cut`));
    await first.app.jobs.sweep();
    expect(await leftOf(first, account.account_id)).not.toEqual([]);
    await first.close();
    const second = await openHosted(backend, { app: { place } });
    await second.app.jobs.sweep();
    expect(await leftOf(second, account.account_id)).toEqual([]);
    await second.close();
    await place.remove();
  });
});

type HostedFailing = NonNullable<NonNullable<Parameters<typeof openHosted>[1]>['app']>['wrapDatabase'] & {};

describe('what is left of a deleted account', () => {
  it('in the files of SQLite: nothing', async () => {
    const backend: Backend = 'sqlite';
    const place = await readyPlace(backend, { rowSecurity: 'on' });
    const service = await openHosted(backend, { app: { place } });
    const account = await service.newAccount({ name: MARK });
    await fill(service, account, 20);
    await service.control(remove(`${at(account.account_id)}?force=true&name=${MARK}`));
    await service.app.jobs.sweep();
    await service.app.jobs.sweep();
    await service.close();
    const { dataDir } = place.options;
    const found = readdirSync(dataDir).filter((file) =>
      readFileSync(join(dataDir, file)).toString('latin1').toLowerCase().includes(MARK.slice(-12)),
    );
    expect(found).toEqual([]);
    await place.remove();
  });
});
