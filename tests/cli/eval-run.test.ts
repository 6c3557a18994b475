import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from './support.ts';

describe('mem eval run', () => {
  let desk: Desk;
  beforeEach(async () => {
    desk = await openDesk();
    for (const word of ['one', 'two']) await done('eval', 'case', word);
  });
  afterEach(() => desk.remove());

  const done = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await desk.inProcess(args);
    expect({ args, code, err }).toEqual({ args, code: 0, err });
    return out;
  };
  const results = (...found: string[]) =>
    JSON.stringify(['one', 'two'].map((case_id, i) => ({ case_id, result: found[i] })));

  it('ends with 1 where a case does not pass and this is asked for', async () => {
    const failed = ['eval', 'run', '--results', results('pass', 'fail')];
    expect(await desk.inProcess([...failed, '--fail-on-fail'])).toMatchObject({ code: 1, err: '' });
    expect(await desk.inProcess([...failed, '--fail-on-fail', '--json'])).toMatchObject({ code: 1, err: '' });
    await done(...failed);
    const passed = await done('eval', 'run', '--results', results('pass', 'pass'), '--fail-on-fail');
    expect(passed).toMatch(/^passed: 2 of 2 passed \(1 fixed\) {2}[0-9A-Za-z]{26}\n\nCASE +RESULT +SINCE LAST\n/);
    expect(passed).toMatch(/^two +pass +fixed$/m);
    const [id] = /[0-9A-Za-z]{26}/.exec(passed) as unknown as [string];
    expect(await done('show-run', id)).toBe(passed);
  });

  it('names what is missing, and the set that is not there', async () => {
    const out = await done('eval', 'run');
    expect(out).toMatch(/^failed: 0 of 2 passed /);
    expect(out).toMatch(/^one +missing +new +no trace has the attribute case_id=one$/m);
    const { code, err } = await desk.inProcess(['eval', 'run', 'nightly', '--fail-on-fail']);
    expect({ code, err }).toEqual({
      code: 3,
      err: 'mem: there is no case in set nightly: mem create-case keeps one\n',
    });
  });
});
