import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServiceConnection } from '../../packages/server/src/cli/connect.ts';
import { fullTraceId } from '../../packages/server/src/cli/trace-ids.ts';
import { type Desk, openDesk, type ServingProcess, serve } from './support.ts';

describe.each(['a local store', 'a server'])('the short id of a trace on %s', (where) => {
  let local: Desk;
  let desk: Desk;
  let server: ServingProcess | undefined;
  let full: string;
  beforeAll(async () => {
    local = await openDesk();
    server = where === 'a server' ? await serve(local.env) : undefined;
    desk = server ? await openDesk({ MEM_HTTP_URL: server.url }) : local;
    for (const ref of ['before', 'this', 'after']) {
      const { out } = await desk.inProcess(['outcome', ref, 'success', '--json']);
      if (ref === 'this') full = JSON.parse(out).trace_id;
    }
  });
  afterAll(async () => {
    await server?.stop();
    desk.remove();
    local.remove();
  });

  it('is what a list shows, and names the trace', async () => {
    const { out } = await desk.inProcess(['traces']);
    const short = /^(\S+) .* this /m.exec(out)?.[1] as string;
    expect(short.length).toBeLessThan(full.length);
    const read = await desk.inProcess(['trace', short]);
    expect(read.out).toContain(`trace ${full} + this (success)\n`);
    expect((await desk.inProcess(['trace', full])).out).toBe(read.out);
    expect((await desk.inProcess(['trace', short.toUpperCase()])).out).toBe(read.out);
    expect((await desk.inProcess(['explain', '--trace-id', short])).out).toContain(`trace ${full}\n`);
    expect((await desk.inProcess(['traces.verify', '--trace-id', short])).out).toBe('checked 1 trace: all intact\n');
  });

  it.each(['zzzzzzzzzz', '0000000000', '01m7f0', 'what?'])('%s names none', async (id) => {
    expect(await desk.inProcess(['trace', id])).toEqual({ code: 3, out: '', err: `mem: there is no trace ${id}\n` });
  });
});

it('a short id that begins two traces is refused', async () => {
  const ids = ['01m7f0zw5d0000000000000000', '01m7f0zw5d1111111111111111'];
  const connection = {
    call: async () => JSON.stringify({ traces: ids.map((trace_id) => ({ trace_id })) }),
  } as unknown as ServiceConnection;
  await expect(fullTraceId(connection, '01m7f0zw5d')).rejects.toThrow(`begins 2 traces: ${ids.join(', ')}`);
  expect(await fullTraceId(connection, '01m7f0zw5d1')).toBe(ids[1]);
});
