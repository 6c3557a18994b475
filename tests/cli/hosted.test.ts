import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Hosted, INTERNAL_KEY, openHosted, post } from '../support/hosted.ts';
import { type Desk, openDesk } from './support.ts';

const UPGRADE = 'https://mem.example/upgrade';
const PLANS = 'https://mem.example/plans';

describe('a command on a hosted service', () => {
  let service: Hosted;
  let desk: Desk;
  beforeAll(async () => {
    const plans = {
      free: { ops_per_month: 1000 },
      small: { ops_per_month: null, storage_entries: 1 },
      wide: { ops_per_month: null, storage_bytes: 100 * 2 ** 20 },
    };
    const settings = { plans, upgrade_url: UPGRADE, plan_comparison_url: PLANS };
    service = await openHosted('sqlite', { app: { settings } });
    desk = await openDesk({ MEM_HTTP_URL: service.server.url });
  });
  afterAll(async () => {
    await service.close();
    desk.remove();
  });

  it.each([
    { what: 'has no plan', plan: null, ops: 0, text: 'the account is on no plan' },
    { what: 'has used up its plan', plan: 'free', ops: 1000, text: 'the plan has 1000 ops a month' },
  ])('for an account that $what prints where to get one', async ({ plan, ops, text }) => {
    const { account_id } = await service.newAccount({ plan });
    const env = { MEM_INTERNAL_KEY: INTERNAL_KEY };
    if (ops > 0) expect((await desk.inProcess(['record-usage', account_id, String(ops)], { env })).code).toBe(0);
    const { code, out, err } = await desk.inProcess(['record-usage', account_id, '1'], { env });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(`mem: ${text}`);
    expect(err).toContain(`mem: more ops: ${UPGRADE}\n`);
    expect(err).toContain(`mem: plans: ${PLANS}\n`);
  });

  it('says in words what of the plan is used', async () => {
    const { key, account_id } = await service.newAccount({ plan: 'small' });
    const { out } = await desk.inProcess(['me'], { env: { MEM_API_KEY: key } });
    expect(out).toMatch(
      new RegExp(`^account {2,}\\S.*, active\naccount id {2,}${account_id}\nplan {2,}small\nkey {2,}`),
    );
    expect(out).toMatch(/^used in \d{4}-\d\d {2,}\d+ ops, no limit, until \S.*$/m);
    expect(out).toMatch(/^requests of this key {2,}\d+ a minute, no limit$/m);
    expect(out).toMatch(/^storage {2,}0 B, no limit$/m);
    expect(out).toMatch(/^entries {2,}0 of 1$/m);
    expect(out).not.toMatch(/[{}"]/);
  });

  it('says that paths narrow what a key may use, and shows storage in the units of plans', async () => {
    const { key } = await service.newAccount({ plan: 'wide' });
    const body = { name: 'narrow', scopes: [{ pattern: '*', permission: 'READ_WRITE' }], entity_paths: ['a', 'b/**'] };
    const { json } = await service.as(key, post('/api/v1/admin/api-keys', body));
    const { out } = await desk.inProcess(['me'], { env: { MEM_API_KEY: json.key as string } });
    expect(out).toMatch(/^may use {2,}\* \(READ_WRITE\), only within a, b\/\*\*$/m);
    expect(out).toMatch(/^storage {2,}– of 100 MiB$/m);
  });

  it('elsewhere names the account once, and no rate of a key that there is not', async () => {
    const env = { MEM_HTTP_URL: '' };
    expect((await desk.inProcess(['write', 'a', 'k', '1'], { env })).code).toBe(0);
    const { code, out } = await desk.inProcess(['me'], { env });
    expect(code).toBe(0);
    expect(out.match(/[0-9a-f]{8}-[0-9a-f-]{27}/g)).toHaveLength(1);
    expect(out).not.toContain('requests of this key');
  });

  it('that makes an account where nobody serves it says so', async () => {
    const make = (env: Record<string, string>) =>
      desk.inProcess(['create-account', 'Example Ltd'], { env: { MEM_HTTP_URL: '', ...env } });
    const text = 'an account works only where mem serve runs with MEM_MODE=hosted';
    expect(await make({})).toMatchObject({ code: 0, err: expect.stringContaining(text) });
    expect((await make({ MEM_MODE: 'hosted' })).err).not.toContain(text);
  });

  it('that needs a larger plan prints where to get one', async () => {
    const { key } = await service.newAccount({ plan: 'small' });
    const env = { MEM_API_KEY: key };
    expect((await desk.inProcess(['write', 'a', 'one', '1'], { env })).code).toBe(0);
    const { err } = await desk.inProcess(['write', 'a', 'two', '2'], { env });
    expect(err).toContain(`mem: larger plans: ${UPGRADE}\n`);
  });

  it.each([
    [['list'], {}, 'the server asks for a key: set MEM_API_KEY'],
    [['list'], { MEM_API_KEY: 'mem_sk_nonsense' }, /^mem: the server refuses the key in MEM_API_KEY: /],
    [['accounts'], {}, 'the server asks for a key: set MEM_INTERNAL_KEY'],
    [['account', 'list'], {}, 'the server asks for a key: set MEM_INTERNAL_KEY'],
    [['accounts'], { MEM_INTERNAL_KEY: 'not-the-one-it-has' }, 'the server refuses the key in MEM_INTERNAL_KEY'],
  ])('%j with %j names what to set, and no header', async (args, env, text) => {
    const { code, err } = await desk.inProcess(args, { env });
    expect(code).toBe(4);
    expect(err).toEqual(typeof text === 'string' ? `mem: ${text}\n` : expect.stringMatching(text));
    expect(err).not.toMatch(/X-MEM|header/i);
  });
});
