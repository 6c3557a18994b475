import { describe, expect, it } from 'vitest';
import { faultLines, readManifest } from '../../packages/server/src/connectors/manifest.ts';
import { compareVersions, isVersion } from '../../packages/server/src/connectors/semver.ts';
import { VERSION } from '../../packages/server/src/version.ts';

const SMALLEST = `name: acme
version: 1.0.0
description: Alarms of Acme
entry_point: transform:AcmeConnector
webhook:
  signature_header: X-Acme-Signature
  signature_algorithm: hmac-sha256
default_entity_path: alarms/acme
event_types: [alarm.raised]
`;

const faultsOf = (text: string, version?: string): string[] => {
  const read = readManifest(text, version);
  return 'faults' in read ? faultLines(read.faults) : [];
};
/** The smallest manifest with a line changed. */
const changed = (line: string) => {
  const [name] = line.split(':');
  return SMALLEST.replace(new RegExp(`^( *${name?.trim()}):.*$`, 'm'), line);
};
const added = (lines: string) => SMALLEST + lines;

describe('a manifest', () => {
  it('gets the defaults of the spec', () => {
    expect(readManifest(SMALLEST)).toEqual({
      manifest: {
        name: 'acme',
        version: '1.0.0',
        description: 'Alarms of Acme',
        entry_point: 'transform:AcmeConnector',
        webhook: {
          signature_header: 'X-Acme-Signature',
          signature_algorithm: 'hmac-sha256',
          signature_prefix: '',
          max_payload_bytes: 1_048_576,
        },
        default_entity_path: 'alarms/acme',
        event_types: ['alarm.raised'],
        env_vars: [],
        dependencies: [],
        config: { batch_size: 100, retry_attempts: 3, retry_delay_seconds: 5 },
      },
    });
  });

  it('may have every field of the spec, and settings of its own', () => {
    const whole = added(`author: Ada
license: Apache-2.0
min_amfs_version: ${VERSION}
dependencies: [dayjs@^1.11.0, "@acme/units"]
env_vars:
  - { name: MEM_CONNECTOR_ACME_TOKEN, description: reads names of people, required: true }
  - { name: MEM_CONNECTOR_ACME_REGION, description: where it runs }
config: { batch_size: 5, severity: { least: high } }
`).replace('  signature_algorithm', '  signature_prefix: "v1="\n  max_payload_bytes: 2048\n  signature_algorithm');
    expect(readManifest(whole)).toMatchObject({
      manifest: {
        author: 'Ada',
        license: 'Apache-2.0',
        webhook: { signature_prefix: 'v1=', max_payload_bytes: 2048 },
        env_vars: [{ required: true }, { name: 'MEM_CONNECTOR_ACME_REGION', required: false }],
        dependencies: ['dayjs@^1.11.0', '@acme/units'],
        config: { batch_size: 5, retry_attempts: 3, severity: { least: 'high' } },
      },
    });
  });

  it('has all its faults reported at once, each with its line and column', () => {
    const text = `nme: acme
name: Acme
version: 1.0
description:
webhook:
  signature_header: X Sig
  signature_algoritm: hmac-sha256
  max_payload_bytes: 0
default_entity_path: alarms//acme
event_types: [a, a, 3]
entry_point: transform
`;
    expect(readManifest(text)).toEqual({
      faults: [
        { line: 1, column: 1, path: 'nme', message: 'is not a field of a manifest. Did you mean name?' },
        { line: 2, column: 7, path: 'name', message: expect.stringContaining('small letters') },
        { line: 3, column: 10, path: 'version', message: 'must be a text: write it in quotes, "1.0"' },
        { line: 4, column: 13, path: 'description', message: expect.stringContaining('no value') },
        { line: 6, column: 3, path: 'webhook.signature_algorithm', message: expect.stringContaining('is required') },
        { line: 6, column: 21, path: 'webhook.signature_header', message: 'must be the name of a header' },
        {
          line: 7,
          column: 3,
          path: 'webhook.signature_algoritm',
          message: 'is not a field of a manifest. Did you mean signature_algorithm?',
        },
        { line: 8, column: 22, path: 'webhook.max_payload_bytes', message: expect.stringContaining('16777216') },
        { line: 9, column: 22, path: 'default_entity_path', message: expect.stringContaining('empty segments') },
        { line: 10, column: 18, path: 'event_types[1]', message: 'is in the list twice: "a"' },
        { line: 10, column: 21, path: 'event_types[2]', message: 'must be a text: write it in quotes, "3"' },
        { line: 11, column: 14, path: 'entry_point', message: expect.stringContaining('module.path:ClassName') },
      ],
    });
  });

  it.each(['name', 'version', 'description', 'entry_point', 'default_entity_path', 'event_types'])(
    'needs %s',
    (name) => {
      expect(faultsOf(SMALLEST.replace(new RegExp(`^${name}:.*\n`, 'm'), ''))).toEqual([
        expect.stringMatching(new RegExp(`^connector.yaml:1:1: ${name} is required: `)),
      ]);
    },
  );

  it.each([
    'name: acme_2',
    'name: -acme',
    'name: acme-',
    'name: acme--eu',
    `name: ${'a'.repeat(65)}`,
    'version: 1.0',
    'version: v1.0.0',
    'version: 1.0.0-01',
    'entry_point: ../transform:Acme',
    'entry_point: transform..js:Acme',
    'entry_point: /etc/transform:Acme',
    'entry_point: transform:Acme.Other',
    'entry_point: transform',
    '  signature_algorithm: hmac-md5',
    '  signature_header: "X-Sig\\r\\nX-Other"',
    'default_entity_path: alarms/*',
    'default_entity_path: ../x',
    'event_types: []',
    'event_types: alarm.raised',
    'event_types: ["a b"]',
    'event_types: ["*.raised"]',
    'description: "\\u0007"',
  ])('refuses %s', (line) => {
    expect(faultsOf(changed(line))).toHaveLength(1);
  });

  it.each([
    'license: all rights reserved',
    'min_amfs_version: newest',
    'dependencies: ["git+ssh://git@example.com/x.git"]',
    'dependencies: ["../x"]',
    'dependencies: ["--global"]',
    'dependencies: ["x@file:../y"]',
    'config: { batch_size: 0 }',
    'config: { batch_size: 1001 }',
    'config: { retry_attempts: -1 }',
    'config: { retry_delay_seconds: 0.5 }',
    'config: [1]',
  ])('refuses a field such as %s', (line) => {
    expect(faultsOf(added(line))).toHaveLength(1);
  });

  it.each([
    ['MEM_API_KEYS', 'must begin with MEM_CONNECTOR_ACME_'],
    ['PATH', 'must begin with MEM_CONNECTOR_ACME_'],
    ['MEM_CONNECTOR_ACME_', 'must begin with MEM_CONNECTOR_ACME_'],
    ['MEM_CONNECTOR_GITHUB_TOKEN', 'must begin with MEM_CONNECTOR_ACME_'],
    ['MEM_CONNECTOR_ACME_SECRET', 'must not end in _SECRET'],
    ['MEM_CONNECTOR_ACME_OTHER_SECRET', 'must not end in _SECRET'],
    ['MEM_CONNECTOR_ACME_SECRET_PREVIOUS', 'must not end in _SECRET_PREVIOUS'],
    ['MEM_CONNECTOR_ACME_UNSIGNED', 'must not end in _UNSIGNED'],
    ['MEM_CONNECTOR_ACME_OUTCOMES', 'must not end in _OUTCOMES'],
    ['MEM_CONNECTOR_ACME_token', 'capital letters'],
  ])('may not ask for the variable %s', (name, message) => {
    const [fault, ...others] = faultsOf(added(`env_vars: [{ name: ${name}, description: x }]`));
    expect(others).toEqual([]);
    expect(fault).toContain(message);
  });

  it.each([
    ['a field twice', 'name: a\nname: b', 'keys must be unique'],
    ['an alias', 'a: &x 1\nb: *x', 'alias'],
    ['a bomb of aliases', 'a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]', 'alias'],
    ['a tag', 'name: !!js/function x', 'unresolved tag'],
    ['two documents', 'name: a\n---\nname: b', 'second document'],
    ['a list', '- name', 'must be a mapping'],
    ['nothing', '', 'is empty'],
    ['brackets in brackets', '['.repeat(60_000), 'nested too deeply'],
    ['lists in lists', '- '.repeat(30_000), 'nested too deeply'],
    ['keys in keys', '? '.repeat(30_000), 'nested too deeply'],
    ['an open bracket', 'name: [\n', 'is not YAML'],
    ['a megabyte', `name: ${'x'.repeat(1_000_000)}`, 'more than 64 KiB'],
  ])('is refused when it is or has %s', (_, text, message) => {
    const [fault = ''] = faultsOf(text);
    expect(fault).toMatch(/^connector\.yaml:\d+:\d+: /);
    expect(fault).toContain(message);
  });

  it('is refused where it asks for a newer service', () => {
    expect(faultsOf(added('min_amfs_version: 1.3.0'), '1.2.9')).toEqual([
      'connector.yaml:10:19: min_amfs_version asks for mem 1.3.0 or newer, and this is mem 1.2.9',
    ]);
    expect(faultsOf(added('min_amfs_version: 1.3.0'), '1.3.0')).toEqual([]);
    expect(faultsOf(added('min_amfs_version: 1.3.0'), '1.3.0-rc.1')).toHaveLength(1);
  });
});

describe('versions', () => {
  it('come in the order of semver.org', () => {
    const ordered = [
      '0.9.10',
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0-rc.1',
      '1.0.0',
      '1.0.9',
      '1.0.10',
      '10.0.0',
    ];
    expect([...ordered].reverse().sort(compareVersions)).toEqual(ordered);
    expect(compareVersions('1.0.0+one', '1.0.0+two')).toBe(0);
  });

  it('have three numbers', () => {
    expect(['1.0.0', '1.0.0-a.1+b', '0.0.0'].every(isVersion)).toBe(true);
    expect(['1', '1.0', '01.0.0', '1.0.0-', '1.0.0-a..b', 'v1.0.0', ''].some(isVersion)).toBe(false);
  });
});
