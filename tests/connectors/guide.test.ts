import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_RESULTS } from '../../packages/server/src/connectors/results.ts';
import { THREAD_LIMITS } from '../../packages/server/src/connectors/thread-types.ts';
import { installedConnectors } from '../../packages/server/src/installed.ts';
import { type Desk, openDesk } from '../cli/support.ts';
import { blocksOf, readDoc, tableOf } from '../docs/markdown.ts';
import { newFolder } from './support.ts';

const guide = readDoc('docs/connectors.md');
const blocks = blocksOf(guide);
const block = (kind: string, place = 0) => blocks.filter((one) => one.kind === kind)[place]?.text ?? '';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.remove());

describe('the connector of the guide', () => {
  const written = () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'connector.yaml'), block('yaml'));
    writeFileSync(join(folder, 'transform.js'), block('js'));
    writeFileSync(join(folder, 'package.json'), block('json', 1));
    writeFileSync(join(folder, 'payload.json'), block('json'));
    return folder;
  };

  it('has thirty lines, and makes of the payload what is shown', async () => {
    expect(`${block('yaml')}\n${block('js')}`.trim().split('\n').length).toBeLessThanOrEqual(30);
    const folder = written();
    const { code, out } = await desk.inProcess(['connector', 'test', folder, join(folder, 'payload.json')]);
    expect({ code, out: out.trim() }).toEqual({ code: 0, out: block('text').trim() });
  });

  it('makes a context of its other event, and can be installed', async () => {
    const folder = written();
    const args = ['connector', 'test', folder, join(folder, 'payload.json'), '--event-type', 'alarm.tested', '--json'];
    expect(JSON.parse((await desk.inProcess(args)).out).transformed).toEqual({
      results: [{ operation: 'record_context', label: 'test', summary: 'Door open was tested', source: 'acme' }],
    });
    expect((await desk.inProcess(['connector', 'install', folder])).code).toBe(0);
  });
});

describe('mem connector test', () => {
  it('says that an event of no declared type would be kept as it came, and where types come from', async () => {
    const file = join(newFolder(), 'payload.json');
    writeFileSync(file, '{"a": 1}');
    const { code, out } = await desk.inProcess(['connector', 'test', 'github', file]);
    expect(code).toBe(0);
    expect(out).toContain('would keep it as it came (raw)');
    expect(out).toContain('--headers');
    const json = await desk.inProcess(['connector', 'test', 'github', file, '--json']);
    expect(JSON.parse(json.out)).toMatchObject({ is_kept_raw: true });
    const known = ['connector', 'test', 'github', file, '--headers', '{"x-github-event": "ping"}', '--json'];
    expect(JSON.parse((await desk.inProcess(known)).out)).toMatchObject({ is_kept_raw: false });
  });

  it('names the nearest verb', async () => {
    expect(await desk.inProcess(['connector', 'lst'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('Did you mean list?'),
    });
  });
});

describe('the guide', () => {
  it('lists the built-in connectors, with the variables of their secrets', async () => {
    const host = await installedConnectors({ dataDir: newFolder(), connectorVariables: {}, maxValueBytes: 1 });
    const listed = tableOf(guide, '## Pointing a tool at mem').map(([name, , variable]) => [name, variable]);
    expect(listed.sort()).toEqual(
      [...host.connectors.keys()].sort().map((name) => [name, `MEM_CONNECTOR_${name.toUpperCase()}_SECRET`]),
    );
  });

  it('has the limits of the code', () => {
    expect(guide).toContain(`Returns up to ${MAX_RESULTS} results`);
    expect(guide).toContain(`takes longer than ${THREAD_LIMITS.transform_ms / 1000} s for an event`);
    expect(guide).toContain(`uses more than ${THREAD_LIMITS.memory_mb} MiB`);
    expect(guide).toContain(`takes longer than ${THREAD_LIMITS.call_ms / 1000} s`);
    expect(guide).toContain(`or ${THREAD_LIMITS.queued_events.toLocaleString('en')} events wait`);
  });

  it('lists every field of a manifest', () => {
    const fields = readFileSync(
      new URL('../../packages/server/src/connectors/manifest-fields.ts', import.meta.url),
      'utf8',
    );
    const listed = tableOf(guide, '### The manifest').map(([name = '']) => name.replace('webhook.', ''));
    for (const name of listed) expect(fields).toMatch(new RegExp(`^ +${name}: `, 'm'));
    expect(listed).toHaveLength(16);
  });
});
