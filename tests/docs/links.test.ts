import { expect, test } from 'vitest';
import { allDocs, brokenLinks, missingFiles } from './markdown.ts';

test.each(allDocs())('the links of %s lead somewhere', (file) => {
  expect(brokenLinks(file)).toEqual([]);
});

test.each(allDocs())('the files that %s names exist', (file) => {
  expect(missingFiles(file)).toEqual([]);
});
