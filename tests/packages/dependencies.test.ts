import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { manifestOf, type PackageManifest, packageNames, root } from './npm.ts';

const project = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as PackageManifest;

describe('the packages', () => {
  it.each(packageNames)('%s needs zod or nothing: all else is inside', (name) => {
    const needed = Object.keys(manifestOf(name).dependencies ?? {});
    expect(needed).toEqual(['contract', 'sdk', 'server'].includes(name) ? ['zod'] : []);
  });

  it('are peers in one direction only', () => {
    const peers = packageNames.flatMap((name) =>
      Object.keys(manifestOf(name).peerDependencies ?? {}).map((peer) => `${name} -> ${peer}`),
    );
    expect(peers).toEqual(['mcp -> @mem-service/server', 'pro -> @mem-service/server']);
  });

  it('take what is inside them from the project, where npm ci --omit=dev finds it in the same version', () => {
    const found = { ...project.dependencies, zod: manifestOf('contract').dependencies?.zod };
    for (const name of packageNames)
      for (const [one, version] of Object.entries(manifestOf(name).devDependencies ?? {}))
        if (!one.startsWith('@mem-service/')) expect({ [one]: version }).toEqual({ [one]: found[one as 'zod'] });
  });
});
