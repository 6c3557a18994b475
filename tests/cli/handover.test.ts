import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from './support.ts';

const PATH = "shop/it's $(here)";
/** Legal names, of which a shell or the command could make something else. */
const NAMES = [
  [PATH, 'limit'],
  ['shop', '--store=http://127.0.0.1:1'],
  ['--json', '-1'],
] as const;

describe('the hand-over of a fix', () => {
  let desk: Desk;
  beforeEach(async () => {
    desk = await openDesk();
  });
  afterEach(() => desk.remove());

  it('has commands that work when they are copied, in the order in which they stand', async () => {
    const done = async (...args: string[]): Promise<string> => {
      const { code, out, err } = await desk.inProcess(args);
      expect({ args, code, err }).toEqual({ args, code: 0, err });
      return out;
    };
    for (const [path, key] of NAMES) await done('write', '--', path, key, '9');
    await done('eval', 'case', 'refund', '--task-input', 'pay it back');
    const entries = JSON.stringify(NAMES.map(([entity_path, key]) => ({ entity_path, key, value: 100 })));
    const given = ['--entity-path', PATH, '--key', 'limit', '--entries', entries, '--json'];
    const { fix_id, branch } = JSON.parse(await done('propose-fix', ...given)) as { fix_id: string; branch: string };
    const { markdown } = JSON.parse(await done('handover', fix_id, '--json')) as { markdown: string };
    expect(markdown).toContain(`mem_approve_fix_memory {"fix_id":"${fix_id}"}`);
    const blocks = [...markdown.matchAll(/^```sh\n([\s\S]*?)\n```$/gm)].map(([, block = '']) => block);
    const lines = blocks.flatMap((block) => block.split('\n'));
    expect(lines.every((line) => line.startsWith('npx @mem-service/cli '))).toBe(true);
    await done('eval', 'run', '--branch', branch, '--results', '[{"case_id":"refund","result":"pass"}]');
    const codes = new Map<string, number | null>();
    for (const line of lines) {
      const command = line.replace('npx @mem-service/cli', 'mem');
      codes.set(command, (await desk.bash(command)).code);
    }
    const failed = [...codes]
      .filter(([, code]) => code !== 0)
      .map(([command]) => command.split(' ').slice(0, 3).join(' '));
    // No trace of the case is there, and what was approved is not dismissed.
    expect(failed).toEqual(['mem eval run', `mem dismiss-fix ${fix_id}`]);
    for (const [path, key] of NAMES) expect(await done('read', '--', path, key)).toContain('100');
  });
});
