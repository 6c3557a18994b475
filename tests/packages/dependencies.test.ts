import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

type Manifest = {
  name?: string;
  resolved?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
};

const root = join(import.meta.dirname, '..', '..');
const readJson = (...path: string[]) => JSON.parse(readFileSync(join(root, ...path), 'utf8'));
const locked = (readJson('package-lock.json') as { packages: Record<string, Manifest> }).packages;
const ours = readdirSync(join(root, 'packages')).map(
  (folder) => readJson('packages', folder, 'package.json') as Manifest,
);

/** The dependencies that npm always installs with the package; optional peers are not among them. */
function needsOf({ dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta }: Manifest): string[] {
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta?.[name]?.optional);
  return [...Object.keys(dependencies ?? {}), ...Object.keys(optionalDependencies ?? {}), ...peers];
}

function manifestOf(name: string): Manifest {
  return ours.find((manifest) => manifest.name === name) ?? locked[`node_modules/${name}`] ?? {};
}

function closureOf(name: string, seen = new Set<string>()): Set<string> {
  for (const needed of needsOf(manifestOf(name))) {
    if (seen.has(needed)) continue;
    seen.add(needed);
    closureOf(needed, seen);
  }
  return seen;
}

describe('the packages', () => {
  it.each(ours.map(({ name }) => name as string))('%s does not need itself', (name) => {
    expect([...closureOf(name)]).not.toContain(name);
  });

  it.each(['@mem-service/contract', '@mem-service/sdk', '@mem-service/mcp'])(
    '%s is installed without a server or a database driver',
    (name) => {
      const brought = [...closureOf(name)].filter((one) => !one.startsWith('@types/'));
      expect(brought.filter((one) => /fastify|^pg\b|sqlite|^pino|@mem-service\/(server|pro)/.test(one))).toEqual([]);
    },
  );

  it('the server is installed with all that it serves, and pro with a server', () => {
    expect([...closureOf('@mem-service/server')]).toEqual(
      expect.arrayContaining(['fastify', 'pg', '@photostructure/sqlite', '@mem-service/mcp', '@mem-service/contract']),
    );
    expect([...closureOf('@mem-service/server')]).not.toContain('@mem-service/pro');
    expect([...closureOf('@mem-service/pro')]).toContain('@mem-service/server');
  });
});
