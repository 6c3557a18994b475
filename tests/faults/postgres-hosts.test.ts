import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { addressOfDsn, hostsOfDsn } from '../../packages/mcp/src/dsn.ts';
import { openApp } from '../../packages/server/src/app.ts';
import { readAddress } from '../../packages/server/src/db/postgres-address.ts';
import { listen, openTestApp } from '../support/app.ts';
import { readyPlace, runSql, type StorePlace } from '../support/place.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { send } from '../support/wire.ts';

describe('an address with several hosts', () => {
  let readOnly: PostgresServer;
  let place: StorePlace;
  beforeAll(async () => {
    readOnly = await startPostgres({ settings: { default_transaction_read_only: 'on', shared_buffers: '16MB' } });
    place = await readyPlace('postgres');
    const { pathname } = new URL(place.options.postgresDsn as string);
    const writing = `${readOnly.dsn}?options=-c%20default_transaction_read_only%3Doff`;
    await runSql(writing, `CREATE DATABASE ${pathname.slice(1)}`);
  });
  afterAll(async () => {
    await readOnly.close();
    await place.remove();
  });

  /** The store of this file behind a host that nobody listens at and one that takes no writes. */
  const address = (more = '') => {
    const { host, pathname } = new URL(place.options.postgresDsn as string);
    return `postgres://postgres@127.0.0.1:1,127.0.0.1:${readOnly.port},${host}${pathname}${more}`;
  };

  it('is that of the host that takes writes', async () => {
    const options = { ...place.options, postgresDsn: address() };
    const app = await openTestApp('postgres', { place: { options, remove: async () => {} } });
    await app.call('entries.write', { entity_path: 'a', key: 'k', value: 1 });
    expect(await app.call('entries.read', { entity_path: 'a', key: 'k' })).toMatchObject({ value: 1 });
    await app.close();
  });

  it('is followed as target_session_attrs says', async () => {
    const none = `postgres://postgres@127.0.0.1:1,127.0.0.1:${readOnly.port}/postgres?target_session_attrs=primary`;
    const found = openApp({ dataDir: '', postgresDsn: none });
    await expect(found).rejects.toMatchObject({
      reason: 'unavailable',
      why: expect.stringContaining('it is read-only (default_transaction_read_only) and takes no writes'),
    });
    const opening = openApp({ dataDir: '', postgresDsn: none.replace('primary', 'read-write') });
    await expect(opening).rejects.toMatchObject({
      reason: 'unavailable',
      why: expect.stringMatching(/^no host takes writes: 127.0.0.1:1: .*ECONNREFUSED.*; 127.0.0.1:\d+ is read-only$/),
    });
  });

  it('that contradicts what the server is for, or that nobody knows, is refused at once with the cure', async () => {
    const refusal = (target: string, readOnly = false) => {
      const [host] = readOnly ? [`${place.options.postgresDsn}`.replace(/\?.*/, '')] : [address()];
      return openApp({ dataDir: '', postgresDsn: `${host}?target_session_attrs=${target}`, readOnly }).then(
        () => 'opened',
        ({ reason, why }) => `${reason}: ${why}`,
      );
    };
    for (const target of ['standby', 'prefer-standby', 'read-only'])
      expect(await refusal(target)).toBe(
        `misconfigured: target_session_attrs=${target} asks for a server that takes no writes: leave it out, or set read-write; a server for reads alone is started with MEM_READ_ONLY=on`,
      );
    for (const target of ['primary', 'read-write'])
      expect(await refusal(target, true)).toBe(
        `misconfigured: target_session_attrs=${target} asks for a server that takes writes, and MEM_READ_ONLY=on is for standbys: leave it out, or set standby`,
      );
    expect(await refusal('any')).toMatch(
      /^refused: it is read-only .* target_session_attrs=any takes the first host that answers; leave it out, or set read-write;/,
    );
    expect(await refusal('fast')).toBe(
      'misconfigured: target_session_attrs is fast, and must be one of any, read-write, read-only, primary, standby, prefer-standby',
    );
  });

  it('is used by nobody while none of the hosts takes writes', async () => {
    const options = { ...place.options, postgresDsn: address() };
    const app = await openTestApp('postgres', { place: { options, remove: async () => {} } });
    const name = new URL(place.options.postgresDsn as string).pathname.slice(1);
    await app.call('entries.write', { entity_path: 'b', key: 'k', value: 1 });
    await runSql(inject('postgresDsn'), `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await runSql(
      inject('postgresDsn'),
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
    );
    const read = () => app.call('entries.read', { entity_path: 'b', key: 'k' });
    await expect.poll(() => read().then(String, ({ code }) => code)).toBe('unavailable');
    await runSql(inject('postgresDsn'), `ALTER DATABASE ${name} RESET default_transaction_read_only`);
    await expect.poll(() => read().then(({ value }) => value, String)).toBe(1);
    await app.close();
  });

  it('is shown without user and password', () => {
    expect(addressOfDsn('postgres://mem:secret@a:5433,b/mem?sslmode=require')).toBe('postgres://a:5433,b/mem');
    expect(hostsOfDsn('postgres://a:x,b/mem')).toBeUndefined();
    expect(readAddress('postgres://a:5433,[::1]/mem').hosts).toEqual([
      { host: 'a', port: 5433 },
      { host: '::1', port: 5432 },
    ]);
  });

  it('a start on a database without writes is refused at once, with the cure', async () => {
    const opening = openApp({ dataDir: '', postgresDsn: readOnly.dsn });
    await expect(opening).rejects.toMatchObject({
      reason: 'refused',
      why: expect.stringContaining('takes no writes: use the address of the primary, or name all hosts'),
    });
  });
});

describe('GET /health?ready', () => {
  it('tells a database that takes writes from one that can only be read', async () => {
    const app = await openTestApp('postgres');
    const server = await listen(app);
    const ready = () => send(server.url, { method: 'GET', path: '/health?ready=true' });
    const { pathname } = new URL(app.place.options.postgresDsn as string);
    const name = pathname.slice(1);
    expect(await ready()).toMatchObject({ status: 200, json: { writable: true } });

    await runSql(inject('postgresDsn'), `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await runSql(
      inject('postgresDsn'),
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
    );
    await ready();
    expect(await ready()).toMatchObject({ status: 503, json: { code: 'unavailable', writable: false } });
    const live = await send(server.url, { method: 'GET', path: '/health' });
    expect(live.status).toBe(200);
    const path = `/api/v1/entries/${randomBytes(4).toString('hex')}/k`;
    expect(await send(server.url, { method: 'GET', path })).toMatchObject({ status: 404 });

    await runSql(inject('postgresDsn'), `ALTER DATABASE ${name} RESET default_transaction_read_only`);
    // Connections are renewed once a second.
    await expect.poll(ready).toMatchObject({ status: 200, json: { writable: true } });
    await server.close();
    await app.close();
  });

  it('says so on SQLite too', async () => {
    const app = await openTestApp('sqlite');
    const server = await listen(app);
    const answer = await send(server.url, { method: 'GET', path: '/health?ready=true' });
    expect(answer).toMatchObject({ status: 200, json: { writable: true, backend: 'sqlite' } });
    await server.close();
    await app.close();
  });
});
