import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { allDocs, readDoc, root } from './markdown.ts';

const MOST_BYTES = 150_000;

/** The images that a page names in its HTML or Markdown, by their paths from the root. */
const imagesOf = (file: string): string[] =>
  [...readDoc(file).matchAll(/(?:src|srcset)="([^"]+\.(?:webp|png|svg))"|!\[[^\]]*\]\(([^)]+)\)/g)].map(
    ([, html, markdown]) => join(dirname(file), html ?? markdown ?? ''),
  );

const named = new Set(allDocs().flatMap(imagesOf));
const images = readdirSync(join(root, 'docs', 'images')).map((name) => join('docs', 'images', name));

it('every image that a page shows is there, and every image is shown', () => {
  expect([...named].sort()).toEqual(images.sort());
});

it.each(images)('%s is small', (image) => {
  expect(statSync(join(root, image)).size).toBeLessThanOrEqual(MOST_BYTES);
});

it('each image is there for light and dark', () => {
  const names = (theme: string) => images.flatMap((image) => image.split(`-${theme}.`).slice(0, -1));
  expect(names('light')).toEqual(names('dark'));
});

it('no package has them inside', () => {
  const listed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts', '--workspaces'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const packed = JSON.parse(listed) as { files: { path: string }[] }[];
  const shown = new Set(images.map((image) => basename(image)));
  expect(packed.length).toBeGreaterThan(0);
  expect(packed.flatMap(({ files }) => files).filter(({ path }) => shown.has(basename(path)))).toEqual([]);
});
