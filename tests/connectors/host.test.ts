import { createHmac } from 'node:crypto';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { ConnectorOptions } from '../../packages/server/src/connectors/types.ts';
import {
  classWith,
  delivery,
  ECHO,
  event,
  manifestText,
  newFolder,
  openHost,
  openTested,
  writeConnector,
} from './support.ts';

const SECRET = 'a-secret-of-tests';
const signed = (payload: unknown, secret = SECRET) => {
  const body = Buffer.from(JSON.stringify(payload));
  return delivery(payload, { 'x-signature': createHmac('sha256', secret).update(body).digest('hex') });
};

describe('a connector in a folder', () => {
  it('transforms events on a thread of its own', async () => {
    const { tested } = await openTested(classWith(ECHO));
    expect(tested.source).toBe('installed');
    expect(await tested.transform([event('1', { n: 1 }), event('2', ['x'])])).toEqual([
      { results: [{ operation: 'write', entity_path: 'a', key: '1', value: { n: 1 } }] },
      { results: [{ operation: 'write', entity_path: 'a', key: '2', value: ['x'] }] },
    ]);
  });

  it('may be of CommonJS, in a folder below, asynchronous, and with packages of its own', async () => {
    const { tested } = await openTested('', {
      manifest: { entry_point: 'src.main:Tested' },
      files: {
        'package.json': '{"type":"commonjs"}',
        'src/main.js': `const { path } = require('units');
          exports.Tested = class { async transform() { return [{ operation: 'write', entity_path: path, key: 'k', value: 1 }]; } };`,
        'node_modules/units/index.js': `exports.path = 'from/a/package';`,
      },
    });
    expect(await tested.transform([event('1')])).toMatchObject([{ results: [{ entity_path: 'from/a/package' }] }]);
  });

  it('leaves events of types that its manifest does not name without results', async () => {
    const { tested } = await openTested(classWith(ECHO), { manifest: { event_types: ['alarm.*', 'test'] } });
    const types = ['alarm.raised', 'other', 'test', 'test2'];
    const made = await tested.transform(types.map((type, i) => event(String(i), 1, type)));
    expect(made.map((one) => 'results' in one && one.results.length)).toEqual([1, 0, 1, 0]);
  });

  it('gets its own variables, its own settings, and nothing of the environment', async () => {
    const seen = classWith(
      `return [{ operation: 'write', entity_path: 'a', key: 'k', value: { ...this.options, env: process.env, argv: process.argv.length } }];`,
    );
    const { tested } = await openTested(seen, {
      manifest: {
        env_vars: [
          { name: 'MEM_CONNECTOR_TESTED_TOKEN', description: 'x', required: true },
          { name: 'MEM_CONNECTOR_TESTED_REGION', description: 'x', required: true },
        ],
        config: { least: 3 },
      },
      variables: {
        MEM_CONNECTOR_TESTED_TOKEN: 'its-own-token',
        MEM_CONNECTOR_TESTED_SECRET: SECRET,
        MEM_CONNECTOR_OTHER_TOKEN: 'of-another',
      },
    });
    expect(tested).toMatchObject({ secrets: [SECRET], missing_variables: ['MEM_CONNECTOR_TESTED_REGION'] });
    const [made] = await tested.transform([event('1')]);
    expect(made).toMatchObject({ results: [{ value: { env: { MEM_CONNECTOR_TESTED_TOKEN: 'its-own-token' } } }] });
    const [result] = made && 'results' in made ? made.results : [];
    expect(result && 'value' in result && result.value).toEqual({
      variables: { MEM_CONNECTOR_TESTED_TOKEN: 'its-own-token' },
      config: { batch_size: 100, retry_attempts: 3, retry_delay_seconds: 5, least: 3 },
      env: { MEM_CONNECTOR_TESTED_TOKEN: 'its-own-token' },
      argv: 2,
    });
  });

  it('is signed as its manifest says, by either of two secrets', async () => {
    const { tested } = await openTested(classWith(ECHO), {
      variables: { MEM_CONNECTOR_TESTED_SECRET: SECRET, MEM_CONNECTOR_TESTED_SECRET_PREVIOUS: 'the-one-before' },
    });
    expect(await tested.isSigned(signed({ a: 1 }), 0)).toBe(true);
    expect(await tested.isSigned(signed({ a: 1 }, 'the-one-before'), 0)).toBe(true);
    expect(await tested.isSigned(signed({ a: 1 }, 'another-secret'), 0)).toBe(false);
    expect(await tested.isSigned({ ...signed({ a: 1 }), body: Buffer.from('{"a":2}') }, 0)).toBe(false);
  });

  it('may check signatures itself, and then it gets the secret', async () => {
    const own = `validate_signature({ body, headers }, secret, now) {
      return headers['x-signature'] === secret + ':' + body.length + ':' + now;
    }`;
    const { tested } = await openTested(classWith(ECHO, own), { variables: { MEM_CONNECTOR_TESTED_SECRET: SECRET } });
    expect(await tested.isSigned(delivery('abc', { 'x-signature': `${SECRET}:5:7` }), 7)).toBe(true);
    expect(await tested.isSigned(delivery('abc', { 'x-signature': `${SECRET}:5:7` }), 8)).toBe(false);
    expect(await tested.isSigned(signed('abc'), 7)).toBe(false);
    for (const verdict of ['"too old"', '1', '{}', 'undefined', '"true"']) {
      const other = await openTested(classWith(ECHO, `validate_signature() { return ${verdict}; }`), {
        variables: { MEM_CONNECTOR_TESTED_SECRET: SECRET },
      });
      expect(await other.tested.isSigned(signed('abc'), 7)).not.toBe(true);
    }
  });

  it('gives a reason of its own without the secret', async () => {
    const own = `validate_signature(_, secret) { return 'not signed with ' + secret; }`;
    const { tested } = await openTested(classWith(ECHO, own), { variables: { MEM_CONNECTOR_TESTED_SECRET: SECRET } });
    expect(await tested.isSigned(signed('abc'), 7)).toBe('not signed with [secret]');
  });

  it('refuses deliveries while its own check of signatures fails, without its words, which may quote the secret', async () => {
    const { tested } = await openTested(classWith(ECHO, 'validate_signature(_, secret) { throw new Error(secret); }'), {
      variables: { MEM_CONNECTOR_TESTED_SECRET: SECRET },
    });
    await expect(tested.isSigned(signed('abc'), 0)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/its check of signatures failed$/),
    });
  });

  it('names deliveries and answers questions of the sender', async () => {
    const others = `identify(payload, headers) { return { id: headers['x-id'] + '/' + payload.n }; }
      reply(payload) { return payload.challenge && { challenge: payload.challenge }; }`;
    const { tested } = await openTested(classWith(ECHO, others));
    const sent = delivery({ n: 3, type: 'made' }, { 'x-id': 'd' });
    expect(await tested.identify({ n: 3, type: 'made' }, sent)).toEqual({ event_type: 'made', id: 'd/3' });
    expect(await tested.reply({ challenge: 'c' })).toEqual({ challenge: 'c' });
    expect(await tested.reply({})).toBeUndefined();
  });

  it('has deliveries named by headers, by the payload or by a hash where it does not name them', async () => {
    const { tested } = await openTested(
      classWith(ECHO, `identify(payload) { if (payload.n === 4) throw new Error(); return null; }`),
    );
    const name = (payload: unknown, headers = {}) => tested.identify(payload, delivery(payload, headers));
    expect(await name({ id: 1 }, { 'x-event-type': 't', 'x-event-id': 'i' })).toEqual({ event_type: 't', id: 'i' });
    expect(await name({ id: 7, event_type: 'e', type: 't' })).toEqual({ event_type: 'e', id: '7' });
    const hashed = { event_type: 'generic', id: expect.stringMatching(/^[0-9a-f]{64}$/) };
    expect(await name({ id: '', type: 'two words' })).toEqual(hashed);
    expect(await name({ n: 4 })).toEqual(hashed);
    expect(await name(null)).toEqual(hashed);
  });
});

describe('connectors that are left out with a warning', () => {
  const opened = (name: string, manifest: Record<string, unknown> = {}, files: Record<string, string> = {}) => {
    const folder = newFolder();
    writeConnector(join(folder, name), classWith(ECHO), { manifest, files });
    return openHost(folder);
  };

  it.each([
    ['with a fault in its manifest', 'tested', { version: 1 }, 'connector.yaml:2:10: version must be a text'],
    ['in a folder of another name', 'other', { name: 'tested' }, 'name is tested, and its folder is other'],
    ['without its module', 'tested', { entry_point: 'src.main:Tested' }, 'there is no src/main.js'],
    ['for a newer service', 'tested', { min_amfs_version: '99.0.0' }, 'asks for mem 99.0.0'],
  ])('are those %s', async (...[, name, manifest, warning]) => {
    const { connectors, warnings } = await opened(name, manifest);
    expect([...connectors.keys()]).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining(warning)]);
  });

  it('are those without a manifest, or whose module is a link to somewhere else', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'empty'));
    writeConnector(join(folder, 'tested'), '', { manifest: { entry_point: 'linked:Tested' } });
    writeFileSync(join(folder, 'outside.mjs'), classWith(ECHO));
    symlinkSync(join(folder, 'outside.mjs'), join(folder, 'tested', 'linked.mjs'));
    expect((await openHost(folder)).warnings).toEqual([
      expect.stringContaining('connector empty is not loaded: connector.yaml is missing'),
      expect.stringContaining('leads out of the folder'),
    ]);
  });

  it('are those that ask for a variable of another', async () => {
    const folder = newFolder();
    const asking = { env_vars: [{ name: 'MEM_CONNECTOR_ACME_EU_TOKEN', description: 'x' }] };
    writeConnector(join(folder, 'acme'), classWith(ECHO), { manifest: asking });
    expect([...(await openHost(folder)).connectors.keys()]).toEqual(['acme']);
    writeConnector(join(folder, 'acme-eu'), classWith(ECHO));
    const { connectors, warnings } = await openHost(folder);
    expect([...connectors.keys()]).toEqual(['acme-eu']);
    expect(warnings).toEqual([
      expect.stringContaining('MEM_CONNECTOR_ACME_EU_TOKEN is a variable of the connector acme-eu'),
    ]);
  });

  it('are those with the name of a built-in one', async () => {
    const folder = newFolder();
    writeConnector(join(folder, 'tested'), classWith(ECHO));
    const { host } = await openBuiltIn(
      class {
        transform() {
          return [{ operation: 'write' as const, entity_path: 'built/in', key: 'k', value: 1 }];
        }
      },
      {},
      folder,
    );
    expect(host.get('tested').source).toBe('built-in');
    expect(host.warnings).toEqual([expect.stringContaining('tested is the name of a built-in connector')]);
    expect(await host.get('tested').transform([event('1')])).toMatchObject([
      { results: [{ entity_path: 'built/in' }] },
    ]);
  });
});

type AnyClass = new (options: ConnectorOptions) => never;

async function openBuiltIn(connector: unknown, variables: Record<string, string> = {}, folder = newFolder()) {
  const folderOf = newFolder();
  writeFileSync(join(folderOf, 'connector.yaml'), manifestText('tested', { event_types: ['thing.changed'] }));
  const builtIns = [{ folder: pathToFileURL(`${folderOf}/`), connector: connector as AnyClass }];
  return { host: await openHost(folder, { builtIns, variables }) };
}

describe('a built-in connector', () => {
  it('refuses a delivery with the reason of its own check, which is not true', async () => {
    const { host } = await openBuiltIn(
      class {
        transform = () => [];
        validate_signature = (_: unknown, secret: string) => (secret === 'the-right-one' ? true : 'too old');
      },
      { MEM_CONNECTOR_TESTED_SECRET: 'the-wrong-one' },
    );
    expect(await host.get('tested').isSigned(delivery(1), 0)).toBe('too old');
    const rotated = {
      MEM_CONNECTOR_TESTED_SECRET: 'the-new-one',
      MEM_CONNECTOR_TESTED_SECRET_PREVIOUS: 'the-right-one',
    };
    const { host: other } = await openBuiltIn(
      class {
        transform = () => [];
        validate_signature = (_: unknown, secret: string) => (secret === 'the-right-one' ? true : 'too old');
      },
      rotated,
    );
    expect(await other.get('tested').isSigned(delivery(1), 0)).toBe(true);
  });

  it('has the same checks of what it returns', async () => {
    const { host } = await openBuiltIn(
      class {
        transform({ id }: { id: string }) {
          if (id === 'throws') throw new Error('at once');
          return id === 'nonsense' ? [{ operation: 'write' }] : [];
        }
      },
    );
    const made = await host.get('tested').transform(['good', 'nonsense', 'throws'].map((id) => event(id)));
    expect(made).toEqual([
      { results: [] },
      { failure: { reason: 'result 1.entity_path is missing', passing: false } },
      { failure: { reason: 'at once', passing: false } },
    ]);
  });
});
