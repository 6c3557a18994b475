import { describe, expect, it } from 'vitest';
import { isArtifact } from './artifact.ts';

const byValue = (text: string) => isArtifact('note', JSON.stringify(text));

describe('isArtifact', () => {
  it('knows a file by the extension of the key', () => {
    for (const key of ['main.ts', 'src/app.PY', 'a/b/README.md', 'config.yaml', 'schema.sql', 'x.h']) {
      expect(isArtifact(key, '1'), key).toBe(true);
    }
    for (const key of ['retry-policy', 'ts', 'main.ts/notes', 'v1.2', 'retry.policy', 'notes.mdx.draft']) {
      expect(isArtifact(key, '1'), key).toBe(false);
    }
  });

  it('knows code by one sign that nothing else has', () => {
    for (const text of [
      "import { z } from 'zod';\nz.string()",
      'from collections import OrderedDict',
      'x\n  def handle(self, event):\n    pass',
      '#!/bin/sh\nset -e\necho started',
      '#include <stdio.h>\nint main',
      'package main\n\nfunc main() {}',
      'export const retries = 5 // times',
      '\r\nfunction retry(times) { again }',
      'diff --git a/x b/x\nindex 1..2',
      'CREATE TABLE entries (id TEXT, value TEXT)',
      '<!DOCTYPE html>\n<html lang="en">',
    ]) {
      expect(byValue(text), text).toBe(true);
    }
  });

  it('knows code by two signs that a note may have one of', () => {
    expect(byValue('const attempts = 5\nretry(attempts)\nthe end of it')).toBe(false);
    expect(byValue('const attempts = 5;\nretry(attempts)\nthe end of it')).toBe(true);
    expect(byValue('if (failed) {\n  again()\n}\nand so on')).toBe(true);
  });

  it('takes notes for notes', () => {
    for (const text of [
      'Public access is denied; private networks only.\nImport the data from the old system first.',
      'Package lost, create table bookings for the return of goods.\nFrom here we import nothing.',
      'If it fails: retry.\n- function owners: team A\n- class of service: gold',
      'We use exponential backoff because the gateway is slow. Return codes above 500 are retried.',
      '# Title\n\n* one\n* two\n\n1. First do this;\n2. then that.',
    ]) {
      expect(byValue(text), text).toBe(false);
    }
  });

  it('takes a structured value for a memory, however it is indented', () => {
    const value = { steps: [{ action: 'return x;' }], nested: { a: { b: [] } } };
    expect(isArtifact('note', JSON.stringify(value, null, 2))).toBe(false);
    expect(isArtifact('note', '12345678901234567890123456789')).toBe(false);
  });

  it('looks at the beginning of the value and not at very short ones', () => {
    expect(byValue("import 'x'")).toBe(false);
    expect(byValue(`${'word '.repeat(1000)}\nimport { z } from 'zod';`)).toBe(false);
    expect(byValue(`import { z } from 'zod';\n${'word '.repeat(1000)}`)).toBe(true);
  });

  it('reads escapes in order', () => {
    expect(byValue('a path C:\\new\\import "x" and more')).toBe(false);
    expect(byValue('a\tb\n\timport "x" "and" \\ more of it')).toBe(true);
  });
});
