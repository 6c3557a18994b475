import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memProgram } from '../faults/support/mem-process.ts';
import { type Desk, openDesk } from './support.ts';

describe('mem serve', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk();
  });
  afterAll(() => desk.remove());

  const freePort = () =>
    new Promise<number>((resolve) => {
      const probe = createServer().listen(0, '127.0.0.1', () => {
        const { port } = probe.address() as { port: number };
        probe.close(() => resolve(port));
      });
    });

  it('listens where --port and --host say, whatever the variables say', async () => {
    const port = await freePort();
    const env = { ...desk.env, MEM_HTTP_PORT: '1', MEM_HTTP_HOST: '192.0.2.1', MEM_LOG_LEVEL: 'warn' };
    const child = spawn(
      process.execPath,
      [await memProgram(), 'serve', '--port', String(port), '--host', '127.0.0.1'],
      { env, cwd: desk.folder },
    );
    const ended = new Promise((resolve) => child.once('close', resolve));
    let screen = '';
    await new Promise<void>((resolve, reject) => {
      child.stdout.on('data', (chunk) => {
        screen += chunk;
        if (screen.includes('listening')) resolve();
      });
      void ended.then(() => reject(new Error(screen)));
    });
    try {
      expect(screen).toContain(`http://127.0.0.1:${port}`);
      expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
    } finally {
      child.kill('SIGTERM');
    }
    expect(await ended).toBe(0);
  });

  it('has help in which the variables are a table', async () => {
    const { out } = await desk.inProcess(['help', 'serve']);
    expect(out).toMatch(/^ {2}MEM_HTTP_PORT {2,}port to listen on/m);
    expect(out).toMatch(/^ {2}--port <number> {2,}The port to listen on/m);
    expect(out).toMatch(/^ {2}--host <text> {2,}The address to listen on/m);
  });
});
