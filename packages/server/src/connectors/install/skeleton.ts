import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION } from '../../version.ts';
import { InstallError } from './limits.ts';
import { PACKAGE_PREFIX } from './source.ts';

/** Writes a connector that works, with a test, into a new folder below `parent`. Returns the folder. */
export function writeSkeleton(name: string, parent: string): string {
  if (name.length > 64 || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name))
    throw new InstallError('the name must have small letters and digits, with single hyphens between them');
  const folder = join(parent, PACKAGE_PREFIX + name);
  if (existsSync(folder)) throw new InstallError(`there is a folder ${folder} already`);
  mkdirSync(folder, { recursive: true });
  const className = `${name.split('-').map(capitalised).join('')}Connector`.replace(/^\d/, 'The$&');
  for (const [file, text] of Object.entries(filesOf(name, className))) writeFileSync(join(folder, file), text);
  return folder;
}

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

const filesOf = (name: string, className: string): Record<string, string> => ({
  'connector.yaml': manifestOf(name, className),
  'transform.js': transformOf(name, className),
  'transform.test.js': testOf(name, className),
  'payload.json': `${JSON.stringify(PAYLOAD, undefined, 2)}\n`,
  'package.json': packageOf(name, className),
  'README.md': readmeOf(name),
});

const PAYLOAD = {
  id: 'evt-1',
  type: 'ticket.opened',
  at: '2026-01-31T10:00:00Z',
  ticket: { id: 7, state: 'open', title: 'The printer is on fire', by: 'ada' },
};

const manifestOf = (name: string, className: string) => `name: ${name}
version: 0.1.0
description: Tickets of ${name}
license: Apache-2.0
entry_point: transform:${className}
webhook:
  # An HMAC of the body, in hexadecimal digits, after the prefix.
  signature_header: X-Signature
  signature_algorithm: hmac-sha256
  signature_prefix: sha256=
default_entity_path: tickets/${name}
event_types:
  - ticket.opened
  - ticket.closed
min_amfs_version: ${VERSION}
`;

const transformOf = (name: string, className: string) => `export class ${className} {
  /** A ticket is one entry. Its versions are its states. */
  transform({ payload }) {
    const { at, ticket } = payload;
    return [
      {
        operation: 'write',
        entity_path: 'tickets/${name}',
        key: \`ticket-\${ticket.id}\`,
        value: { state: ticket.state, title: ticket.title, by: ticket.by },
        occurred_at: at,
        merge: true,
      },
    ];
  }
}
`;

const testOf = (name: string, className: string) => `import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ${className} } from './transform.js';

const payload = JSON.parse(readFileSync(new URL('payload.json', import.meta.url), 'utf8'));

test('a ticket becomes an entry', () => {
  const [result] = new ${className}().transform({ event_type: 'ticket.opened', payload, headers: {} });
  assert.equal(result.entity_path, 'tickets/${name}');
  assert.equal(result.key, 'ticket-7');
  assert.deepEqual(result.value, { state: 'open', title: 'The printer is on fire', by: 'ada' });
});
`;

const packageOf = (name: string, className: string) =>
  `${JSON.stringify(
    {
      name: `${PACKAGE_PREFIX}${name}`,
      version: '0.1.0',
      description: `Connector of mem for ${name}`,
      type: 'module',
      license: 'Apache-2.0',
      files: ['connector.yaml', 'transform.js'],
      scripts: { test: 'node --test' },
      'amfs.connectors': { [name]: `transform:${className}` },
    },
    undefined,
    2,
  )}\n`;

const readmeOf = (name: string) => `# ${PACKAGE_PREFIX}${name}

A connector of mem: it makes entries of the webhooks of ${name}.

\`\`\`sh
npm test
mem connector test . payload.json
mem connector install .
\`\`\`

Set \`MEM_CONNECTOR_${name.toUpperCase().replaceAll('-', '_')}_SECRET\` to the secret that the sender signs with, start \`mem serve\`,
and point the sender at \`/api/v1/webhooks/${name}\`.
`;
