import { expect, test } from 'vitest';
import { stepsOfPage } from '../support/recipe.ts';
import { allDocs, brokenLinks, missingFiles, readDoc } from './markdown.ts';

test.each(allDocs())('the links of %s lead somewhere', (file) => {
  expect(brokenLinks(file)).toEqual([]);
});

/** Files that a reader creates by following the page. */
const made = new Set(
  stepsOfPage(readDoc('docs/adding-a-module.md')).flatMap(({ file, kind }) => (kind === 'ts' ? file : [])),
);

test.each(allDocs())('the files that %s names exist', (file) => {
  expect(missingFiles(file).filter((name) => !made.has(name))).toEqual([]);
});
