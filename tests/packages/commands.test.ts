import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allDocs, readDoc } from '../docs/markdown.ts';
import { manifestOf, type PackageName, packageNames, root } from './npm.ts';

const project = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
  devDependencies: Record<string, string>;
};
const programs = packageNames.filter((name) => 'bin' in manifestOf(name)).map((name) => `@mem-service/${name}`);

describe.each(allDocs())('the commands of %s', (file) => {
  const text = [...readDoc(file).matchAll(/```[\s\S]*?```|`[^`]+`/g)].map(([code]) => code).join('\n');
  const all = (pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map((match) => match[1] as string))];

  it('name packages that exist', () => {
    const named = all(/@mem-service\/([a-z]+)/g);
    expect(named.filter((name) => !packageNames.includes(name as PackageName))).toEqual([]);
  });

  it('start and install what npm can find by that name', () => {
    const started = all(/\bnpx (?:-y |--yes )?([@\w][\w@/.-]*)/g);
    expect(started.filter((name) => !programs.includes(name) && !(name in project.devDependencies))).toEqual([]);
    // `mem` on npm is the package of somebody else.
    expect(all(/\bnpm (?:i|install) (?:-g )?(mem|cli|server|sdk)\b/g)).toEqual([]);
  });

  it('run scripts and files that are there', () => {
    expect(all(/\bnpm run ([a-z:]+)/g).filter((name) => !(name in project.scripts))).toEqual([]);
    const built = { cli: 'dist/mem.js', mcp: 'dist/mem-mcp.js' };
    const paths = all(/(packages\/\w+\/dist\/[\w-]+\.js)/g);
    const known = Object.entries(built).map(([name, path]) => `packages/${name}/${path}`);
    expect(paths.filter((path) => !known.includes(path))).toEqual([]);
  });
});
