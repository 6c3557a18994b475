import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStream } from '../../../tests/stream/support.ts';
import { backends } from '../../../tests/support/app.ts';
import { get, type Hosted, openHosted, post, remove } from '../../../tests/support/hosted.ts';

const REPORTED = ['branch_created', 'pull_request_opened', 'pull_request_merged', 'branch_merged', 'branch_closed'];

describe.each(backends)('what happens to a branch, on the branch that it comes from or goes to, on %s', (backend) => {
  let service: Hosted;
  let admin: string;
  beforeAll(async () => {
    service = await openHosted(backend);
    ({ key: admin } = await service.newAccount());
  });
  afterAll(() => service.close());

  const follow = (key: string, branch: string) =>
    openStream(service.server.url, { query: `branch=${branch}`, headers: { 'x-mem-api-key': key } });
  const reported = ({ events }: Awaited<ReturnType<typeof follow>>) =>
    events.map(({ data }) => data.event_type as string).filter((type) => REPORTED.includes(type));
  const run = async (key: string, path: string, input: object = {}) => {
    const { status, json } = await service.as(key, post(path, input));
    expect(status, JSON.stringify(json)).toBeLessThan(300);
    return json as Record<string, string>;
  };
  const timeline = async (key: string, branch: string) => {
    const { json } = await service.as(key, get(`/api/v1/agents/mem-http-server/timeline?branch=${branch}&limit=100`));
    return (json.events as { event_type: string; branch: string }[]).filter(({ event_type }) =>
      REPORTED.includes(event_type),
    );
  };
  /** Creates, merges by a pull request, and closes another. */
  const life = async (key: string, parent: string, name: string) => {
    await run(key, '/api/v1/branches', { name, from: parent });
    await run(key, '/api/v1/entries', { entity_path: 'a', key: name, value: 1, branch: name });
    const pull = { title: 'x', source_branch: name, target_branch: parent };
    const { id } = await run(key, '/api/v1/pull-requests', pull);
    await run(key, `/api/v1/pull-requests/${id}/merge`);
    await run(key, '/api/v1/branches', { name: `${name}-2`, from: parent });
    await service.as(key, remove(`/api/v1/branches/${name}-2`));
    await run(key, '/api/v1/entries', { entity_path: 'a', key: `end of ${name}`, value: 1, branch: parent });
  };

  it('is reported once, to those who may read that branch', async () => {
    const { key: mine } = await service.newKey(admin);
    const { key: other } = await service.newKey(admin);
    const streams = [await follow(mine, 'main'), await follow(admin, 'main'), await follow(other, 'main')] as const;
    await life(mine, 'main', 'experiment/one');
    for (const stream of streams) await stream.has(stream === streams[2] ? 1 : 6);
    const hasEnd = ({ raw }: (typeof streams)[number]) => expect.poll(raw).toContain('end of experiment/one');
    for (const stream of streams) await hasEnd(stream);
    for (const stream of streams.slice(0, 2)) {
      expect(reported(stream).toSorted()).toEqual([...REPORTED, 'branch_created'].toSorted());
      expect(new Set(stream.seqs()).size).toBe(stream.seqs().length);
    }
    expect(reported(streams[2])).toEqual([]);
    expect(streams[2].raw()).not.toContain('"branch":"experiment/one"');
    const seen = (await timeline(mine, 'main')).map(({ event_type }) => event_type);
    expect(seen.toSorted()).toEqual([...REPORTED, 'branch_created'].toSorted());
    expect(await timeline(other, 'main')).toEqual([]);
  });

  it('is reported on the branch that it was forked from, and not on the parent of that', async () => {
    await run(admin, '/api/v1/branches', { name: 'base' });
    const [base, main] = [await follow(admin, 'base'), await follow(admin, 'main')];
    await life(admin, 'base', 'nested');
    await expect.poll(base.raw).toContain('end of nested');
    expect(reported(base).toSorted()).toEqual([...REPORTED, 'branch_created'].toSorted());
    await run(admin, '/api/v1/entries', { entity_path: 'a', key: 'last', value: 1 });
    await expect.poll(main.raw).toContain('"last"');
    expect(reported(main)).toEqual([]);
    expect((await timeline(admin, 'base')).filter(({ branch }) => branch.startsWith('nested'))).toHaveLength(6);
  });
});
