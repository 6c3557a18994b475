import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from './support.ts';

describe('an entry on the command line', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk();
    await desk.inProcess(['write', 'checkout/cart', 'currency', '--value', '"EUR"']);
    await desk.inProcess(['write', 'checkout/cart', 'currency', '--value', '"USD"']);
  });
  afterAll(() => desk.remove());

  it.each([['read'], ['confidence'], ['history']])('%s takes path and key in one word', async (word) => {
    const { code, out } = await desk.inProcess([word, 'checkout/cart/currency']);
    expect(code).toBe(0);
    expect(out).toBe((await desk.inProcess([word, 'checkout/cart', 'currency'])).out);
  });

  it('delete and restore-version take path and key in one word, and read says how to undo a deletion', async () => {
    expect(await desk.inProcess(['delete', 'checkout/cart/currency'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('deleted checkout/cart currency'),
    });
    expect(await desk.inProcess(['read', 'checkout/cart', 'currency'])).toEqual({
      code: 3,
      out: '',
      err:
        'mem: there is no entry checkout/cart currency: it was deleted. ' +
        'mem restore-version checkout/cart currency brings it back\n',
    });
    expect(await desk.inProcess(['restore-version', 'checkout/cart/currency', '--version', '1'])).toMatchObject({
      code: 0,
      out: 'checkout/cart currency: version 1 is back as version 4\n',
    });
  });

  it.each([
    ['list', 'checkout'],
    ['search', 'currency', '--entity-path', 'checkout'],
  ])('%s of a path that has entries only below it says so', async (...args) => {
    const below = 'there are entries below checkout: add --include-descendants\n';
    expect(await desk.inProcess(args)).toMatchObject({ code: 0, out: '', err: expect.stringContaining(below) });
    expect((await desk.inProcess([...args, '--include-descendants'])).out).toContain('checkout/cart');
    expect((await desk.inProcess([...args, '--json'])).err).toBe('');
  });

  it('consolidate says where its proposals are', async () => {
    const text = (more: string) => `Deployments to production ${more}happen on Tuesday mornings`;
    for (const [key, more, agent] of [
      ['deploy-window', '', 'a'],
      ['production-deploys', 'always ', 'b'],
    ] as const)
      await desk.inProcess(['write', 'twice/jobs', key, text(more), '--agent', agent]);
    const consolidate = async (...flags: string[]) =>
      (await desk.inProcess(['consolidate', '--entity-path', 'twice/jobs', ...flags])).err;
    expect(await consolidate('--preview')).toBe('');
    expect(await consolidate()).toBe('mem proposals shows what is to decide\n');
    expect(await consolidate()).toBe('');
  });

  it('a path that has nothing below it is only empty', async () => {
    expect(await desk.inProcess(['list', 'nowhere'])).toEqual({ code: 0, out: '', err: 'no entries\n' });
  });
});
