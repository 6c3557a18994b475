import fc from 'fast-check';
import { visit } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { removeBlock, setBlock } from '../../packages/server/src/cli/init/block.ts';
import { diffLines, maskOf } from '../../packages/server/src/cli/init/diff.ts';
import { valueAt } from '../../packages/server/src/cli/init/jsonc.ts';
import { appendJson, removeJson, setJson } from '../../packages/server/src/cli/init/jsonc-edit.ts';
import { readToml } from '../../packages/server/src/cli/init/toml.ts';
import { removeTomlTable, setTomlTable, tomlTable } from '../../packages/server/src/cli/init/toml-edit.ts';

const plain = { width: undefined, colour: false };
const entry = { command: 'node', args: ['mem.js'] };
const name = fc.string({ minLength: 1, maxLength: 8 }).filter((text) => text !== '__proto__' && text !== 'mem');
const values = fc.dictionary(name, fc.jsonValue({ maxDepth: 3 }), { minKeys: 1, maxKeys: 4 });
const indents = fc.constantFrom('  ', '    ', '\t', '');
const lineEnds = fc.constantFrom('\n', '\r\n');

/** What may stand between any two tokens. */
const trivia = fc.array(
  fc.constantFrom(' ', '\n', '\n  ', '\t', '/* a */', '/* "b": [1, */', '// c\n', '//\n', '/* d\n*/'),
  {
    maxLength: 3,
  },
);

type Writing = { gap: () => string; trailingCommas: boolean };

/** A value as a user might write it: comments and blanks between all tokens, except inside of the member `mem`. */
function written(value: unknown, writing: Writing): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const { gap, trailingCommas } = writing;
  const parts = Array.isArray(value)
    ? value.map((item) => written(item, writing))
    : Object.entries(value).map(([key, member]) =>
        key === 'mem' ? `"mem":${member}` : `${JSON.stringify(key)}${gap()}:${gap()}${written(member, writing)}`,
      );
  const inside = parts.map((part) => `${gap()}${part}${gap()}`).join(',');
  const end = `${parts.length > 0 && trailingCommas ? ',' : ''}${gap()}`;
  return Array.isArray(value) ? `[${inside}${end}]` : `{${inside}${end}}`;
}

const commentsOf = (text: string) => {
  const found: string[] = [];
  visit(text, { onComment: (offset, length) => found.push(text.slice(offset, offset + length).trimEnd()) });
  return found;
};

describe('JSON with comments', () => {
  it('is what it was after a member was put in and taken out, however it is written', () => {
    fc.assert(
      fc.property(values, indents, lineEnds, (object, indent, eol) => {
        const text = JSON.stringify({ servers: object }, null, indent).replaceAll('\n', eol);
        const set = setJson(text, ['servers', 'mem'], entry);
        expect(JSON.parse(set)).toEqual(JSON.parse(JSON.stringify({ servers: { ...object, mem: entry } })));
        expect(removeJson(set, ['servers', 'mem'])).toBe(text);
        expect(set.replaceAll('\r\n', '').includes('\n')).toBe(eol === '\n' && text.includes('\n'));
      }),
      { numRuns: 300 },
    );
  });

  it('is what it was after an item was put into a list and taken out', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 2 }), { minLength: 1, maxLength: 3 }), indents, (list, indent) => {
        const text = JSON.stringify({ hooks: list }, null, indent);
        const added = appendJson(text, ['hooks'], entry);
        expect(JSON.parse(added)).toEqual(JSON.parse(JSON.stringify({ hooks: [...list, entry] })));
        expect(removeJson(added, ['hooks', list.length])).toBe(text);
      }),
      { numRuns: 200 },
    );
  });

  it('keeps every comment and every other value, wherever comments stand', () => {
    const gaps = fc.infiniteStream(trivia.map((parts) => parts.join('')));
    const members = fc.dictionary(name, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 });
    const layouts = fc.record({ before: members, after: members, gaps, trailingCommas: fc.boolean() });
    fc.assert(
      fc.property(layouts, ({ before, after, gaps, trailingCommas }) => {
        const writing = { gap: () => gaps.next().value as string, trailingCommas };
        const others = JSON.parse(JSON.stringify({ ...before, ...after }));
        const text = written({ all: { ...before, mem: 1, ...after } }, writing);
        const removed = removeJson(text, ['all', 'mem']);
        expect(valueAt(removed, [])).toEqual({ all: others });
        const set = setJson(removed, ['all', 'mem'], 'new');
        expect(valueAt(set, [])).toEqual({ all: { ...others, mem: 'new' } });
        const appended = appendJson(set, ['list'], 1);
        expect(valueAt(appended, [])).toEqual({ all: { ...others, mem: 'new' }, list: [1] });
        for (const edited of [removed, set, appended]) expect(commentsOf(edited)).toEqual(commentsOf(text));
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['{ "a": 1 // last\n}', '{ "a": 1, // last\n  "mem": 2\n}'],
    ['{\n  // only this\n}', '{\n  // only this\n  "mem": 2\n}'],
    ['{"a":1,}', '{"a":1, "mem": 2,}'],
    ['\ufeff{}', '\ufeff{\n  "mem": 2\n}'],
    ['', '{\n  "mem": 2\n}\n'],
    ['{"mem": {"x": 1} /* old */}', '{"mem": 2 /* old */}'],
  ])('takes %j', (text, expected) => {
    expect(setJson(text, ['mem'], 2)).toBe(expected);
  });

  it.each([
    ['{"a": 01}', 'line 1, column 8: "," or "}" was expected, not "1"'],
    ['{a: 1}', 'line 1, column 2: a name in quotes was expected, not "a"'],
    ['{"a": "\\x"}', 'line 1, column 7: this text is not valid JSON'],
    ['{\n "a": "x\n}', 'line 2, column 7: this text has no end'],
    ['{"a": 1} {', 'line 1, column 10: there is more after the end'],
    ['{"a" 1}', 'line 1, column 6: ":" was expected'],
    ['[1 2]', 'line 1, column 4: "," or "]" was expected'],
    ['{ /* no end', 'line 1, column 3: this comment has no end'],
    ['{"a": tru}', 'line 1, column 7: a value was expected'],
    ['[]', 'the file should be an object'],
  ])('says where %j is wrong', (text, problem) => {
    expect(() => setJson(text, ['mem'], 1)).toThrow(problem);
  });

  it('reads every JSON as the parser of the language does', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(valueAt(text, [])).toEqual(JSON.parse(text));
      }),
    );
  });
});

describe('TOML', () => {
  const table = { command: 'node', args: ['a b', 'mcp'], env: { MEM_DATA_DIR: '/tmp/"x"' } };

  it.each([
    ['a = 1\n'],
    ['# only a comment\n'],
    ['[mcp_servers.other]\ncommand = "x"\n\n# the last word\n'],
    ['a = """\n[mcp_servers.mem]\n"""\nb = [\n  1, # one\n  { c = 2 },\n]\n'],
    ["date = 1979-05-27 07:32:00Z\nf = -1.5e3\n'quoted key'.b = true\n"],
  ])('is what it was after a table was put in and taken out: %j', (text) => {
    const set = setTomlTable(text, ['mcp_servers', 'mem'], table);
    expect(set.startsWith(text)).toBe(true);
    expect(tomlTable(set, ['mcp_servers', 'mem'])?.get('args')).toBe('["a b", "mcp"]');
    expect(removeTomlTable(set, ['mcp_servers', 'mem'])).toBe(text);
  });

  it('is changed in place, with the tables below, and what follows stays', () => {
    const text = '[mcp_servers.mem]\ncommand = "old"\n[mcp_servers.mem.env]\nA = "1"\n\n# next\n[z]\n';
    expect(setTomlTable(text, ['mcp_servers', 'mem'], { url: 'u' })).toBe(
      '[mcp_servers.mem]\nurl = "u"\n\n# next\n[z]\n',
    );
  });

  it.each([
    ['a = ', 'line 1, column 5: a value was expected'],
    ['a = "x', 'line 1, column 5: this text has no end'],
    ['a = 1 b = 2', 'line 1, column 7: the line should end here'],
    ['x = [1,\n2', 'line 2, column 2: "," or "]" was expected'],
    ['= 1', 'line 1, column 1: a name was expected'],
    ['mcp_servers = { other = { command = "x" } }', 'line 1, column 1: write mcp_servers.mem as a table'],
    ['[mcp_servers]\nmem.command = "x"', 'line 2, column 1: write mcp_servers.mem as a table'],
  ])('says where %j is wrong', (text, problem) => {
    expect(() => setTomlTable(text, ['mcp_servers', 'mem'], table)).toThrow(problem);
  });

  it('has a place for each statement', () => {
    const text = '[a]\nb.c = "d" # e\n[[f]]\n';
    expect(readToml(text).map(({ kind, path, start, end }) => [kind, path.join('.'), text.slice(start, end)])).toEqual([
      ['table', 'a', '[a]'],
      ['pair', 'b.c', 'b.c = "d"'],
      ['list-table', 'f', '[[f]]'],
    ]);
  });
});

describe('what is shown of a change', () => {
  it('has names of the user, but no values', () => {
    const before = '{\n  "token": "s3cret",\n  "n": 1\n}\n';
    const after = setJson(before, ['mem'], { key: 'mine' });
    const shown = diffLines({ before, after, hideValues: true, secrets: [] }, plain);
    expect(shown).toEqual([
      '  {',
      '    "token": "…",',
      '-   "n": 1',
      '+   "n": 1,',
      '+   "mem": {',
      '+     "key": "mine"',
      '+   }',
      '  }',
    ]);
  });

  it.each([
    ['mem_sk_0123456789', 'mem_sk_…'],
    ['a-long-random-secret', '…'],
    ['sk_live_short', '…'],
  ])('masks %s as %s', (secret, mask) => {
    expect(maskOf(secret)).toBe(mask);
    const shown = diffLines({ before: '', after: `a ${secret} b`, hideValues: false, secrets: [secret] }, plain);
    expect(shown).toEqual([`+ a ${mask} b`]);
  });
});

it('a block is put into a text and taken out to the byte, where it ended with a line end', () => {
  for (const text of ['# Mine\n', '# Mine\r\nmore\r\n', '']) expect(removeBlock(setBlock(text, 'a\nb'))).toBe(text);
});
