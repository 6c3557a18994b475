import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostOf } from '../support/connectors.ts';
import { deliver, testConnector } from '../support/deliveries.ts';
import { type Hosted, openHosted } from '../support/hosted.ts';
import { type Desk, openDesk, type RunOptions } from './support.ts';

const WORDS = ['create-key', 'builds', '--key-type', 'webhook', '--connector', 'example', '--json'];

describe('the secret of an address on the command line', () => {
  let service: Hosted;
  let desk: Desk;
  let env: Record<string, string>;
  beforeAll(async () => {
    service = await openHosted('sqlite', { app: { connectors: hostOf(testConnector({ secrets: [] })) } });
    desk = await openDesk({ MEM_HTTP_URL: service.server.url });
    env = { MEM_API_KEY: (await service.newAccount({ plan: 'enterprise' })).key };
  });
  afterAll(async () => {
    await service.close();
    desk.remove();
  });

  const create = (secret: string, { input, env: more }: RunOptions = {}) =>
    desk.inProcess([...WORDS, '--secret', secret], { env: { ...env, ...more }, ...(input ? { input } : {}) });

  it.each([
    ['standard input', '-', { input: 'from-the-input\n' }, 'from-the-input'],
    ['a variable', 'env:OF_THE_SENDER', { env: { OF_THE_SENDER: 'from-a-variable' } }, 'from-a-variable'],
    ['the command line', 'from-the-line', {}, 'from-the-line'],
  ] as const)('is read from %s, and not printed', async (...[, word, options, secret]) => {
    const { code, out, err } = await create(word, options);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).not.toContain(secret);
    const { key: token, secret_set } = JSON.parse(out);
    expect(secret_set).toBe(true);
    const body = JSON.stringify({ event_type: 'build', id: `of ${secret}`, name: 'nightly', state: 'ok' });
    expect((await deliver(service.server.url, body, { token, secret })).status).toBe(202);
    expect((await deliver(service.server.url, body, { token, secret: 'another one' })).status).toBe(401);
  });

  it('is missing where the variable is not set or the input is empty', async () => {
    expect(await create('env:NOT_THERE')).toMatchObject({ code: 2, err: expect.stringContaining('NOT_THERE') });
    expect(await create('-')).toMatchObject({ code: 2, err: expect.stringContaining('standard input is empty') });
  });
});
