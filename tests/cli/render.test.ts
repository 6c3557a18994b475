import type { OperationName } from '@mem-service/contract';
import { describe, expect, it } from 'vitest';
import { readAnswer, render, type Screen } from '../../packages/server/src/cli/render/index.ts';
import { indent } from '../../packages/server/src/cli/render/json.ts';

const plain: Screen = { width: undefined, colour: false };
const show = (name: OperationName, text: string, screen = plain) => render(name, readAnswer(name, text), screen).out;

const entry = (key: string, value: string) =>
  `{"entity_path":"svc","key":"${key}","version":3,"value":${value},"confidence":0.5,"memory_type":"fact","shared":true,` +
  `"branch":"main","provenance":{"agent_id":"a","session_id":null,"written_at":"2026-01-31T12:00:00.000Z","pattern_refs":[]}}`;
const list = (...entries: string[]) => `{"entries":[${entries.join(',')}],"next_cursor":null,"has_more":false}`;

describe('answers for people', () => {
  it('a list is an aligned table, in characters of any width', () => {
    expect(show('entries.list', list(entry('k', '{"a": 1.0}'), entry('鍵', '"x"'), entry('café\u0301', '2')))).toBe(
      [
        'PATH  KEY   VER  CONF  TYPE  AGENT  WHEN                  VALUE',
        'svc   k       3  0.50  fact  a      2026-01-31 12:00:00Z  {"a": 1.0}',
        'svc   鍵      3  0.50  fact  a      2026-01-31 12:00:00Z  "x"',
        'svc   café\u0301    3  0.50  fact  a      2026-01-31 12:00:00Z  2',
        '',
      ].join('\n'),
    );
  });

  it('the value is cut so that the line ends at the edge of the terminal', () => {
    const out = show('entries.list', list(entry('k', `"${'x'.repeat(200)}"`)), { width: 80, colour: false });
    const line = out.split('\n')[1] as string;
    expect(line).toHaveLength(80);
    expect(line).toMatch(/^svc +k +"x+… +0\.50 /);
  });

  it('an empty list is named in words', () => {
    const none = readAnswer('golden.list', '{"golden_queries":[],"next_cursor":null,"has_more":false}');
    expect(render('golden.list', none, plain)).toEqual({ out: '', note: 'no golden queries\n' });
  });

  it('how answers are weighed is shown with the weights in use', () => {
    const off = '"weights":null,"fitted_on":null,"held_out":null,"mrr_default":null,"mrr_fitted":null,"fitted_at":null';
    const usual = show('retrieval.read', `{"fit_weights":false,${off}}`);
    expect(usual).toMatch(/^weights +the default ones; mem set-retrieval --fit-weights/);
    expect(usual).toMatch(/\nmeaning +0\.50\nconfidence +0\.20\nevidence +0\.15\n$/);
    const on =
      '"weights":{"semantic_weight":0.75,"confidence_weight":0.1,"evidence_weight":0},"fitted_on":40,"held_out":10,' +
      '"mrr_default":0.5,"mrr_fitted":0.625,"fitted_at":"2026-01-31T12:00:00.000Z"';
    const fitted = show('retrieval.read', `{"fit_weights":true,${on}}`);
    expect(fitted).toMatch(/^weights +fitted on 40 golden queries, 2026-01-31/);
    expect(fitted).toMatch(/\nmeaning +0\.75\n.*\ncompared +.* 10 held out: default 0\.50, fitted 0\.6[23]\n$/s);
  });

  it('minutes without a compilation are left out, and ratios have two places', () => {
    const minute = (at: string, compiled: number) => `{"minute":"2026-01-31T12:${at}:00.000Z","compiled":${compiled}}`;
    const minutes = [minute('00', 0), minute('01', 7), minute('02', 0)].join(',');
    const out = show('cortex.activity', `{"events":[],"total":0,"throughput":[${minutes}]}`);
    expect(out).toContain('12:01');
    expect(out).not.toMatch(/12:0[02]/);
    expect(show('consolidation.run', '{"compression_ratio":1.0588235294117647,"candidates":[]}')).toBe(
      'compression ratio  1.06\n',
    );
  });

  it('what answers a question is shown with its passage, and what is wrong with the answer', () => {
    const hit = (key: string, status: string) =>
      `{"entity_path":"svc","key":"${key}","confidence":0.7,"evidence_status":"${status}","score":1.25,` +
      `"passage":"one\\ntwo\\u001b[2J","provenance":{"agent_id":"a","written_at":"2026-01-31T12:00:00.000Z"}}`;
    const answer = (entries: string, avoid: string, rest: string) =>
      `{"entries":[${entries}],"avoid":[${avoid}],"tokens":2,"truncated":false,${rest}}`;
    const rest = '"left_out":[],"time":null,"index":{"embedder":"e","behind":0},"skipped":[]';
    const facts = 'confidence 0.70, by a 2026-01-31 12:00:00Z\n  one\n  two\\u001b[2J\n';
    expect(show('entries.retrieve', answer(hit('k', 'untested'), '', rest))).toBe(`svc k  score 1.25, ${facts}`);
    const poor =
      '"left_out":[{},{}],"time":{"phrase":"today","since":"2026-01-31T00:00:00.000Z","until":"2026-01-31T12:00:00.000Z"},' +
      '"index":{"embedder":null,"behind":0},"skipped":["meaning","related"]';
    expect(show('entries.retrieve', answer('', hit('old', 'discredited'), poor)).split('\n')).toEqual([
      ...['nothing in memory answers this', '', 'Outcomes spoke against:', ''],
      'svc old  score 1.25, confidence 0.70, discredited, by a 2026-01-31 12:00:00Z',
      ...['  one', '  two\\u001b[2J', ''],
      '"today" was taken as 2026-01-31 00:00:00Z to 2026-01-31 12:00:00Z',
      '2 more entries did not fit in --max-tokens',
      'found by words alone: meaning was not compared',
      'left undone for want of time: meaning, related',
      '',
    ]);
  });

  it('what answers a question says which models outside the service did not help, and why', () => {
    const notes = (index: object, more: object = {}) => {
      const empty = { entries: [], avoid: [], left_out: [], time: null, skipped: [], tokens: 0, truncated: false };
      return show('entries.retrieve', JSON.stringify({ ...empty, index, ...more }))
        .trimEnd()
        .split('\n')
        .slice(2);
    };
    const builtin = { embedder: 'mem-static-256', behind: 0 };
    const not = 'meaning was not compared by small, but by mem-static-256:';
    const building = { from: 'small', reason: 'building', progress: 0.4 };
    expect(notes({ ...builtin, fallback: building })).toEqual([`${not} 40% of its vectors are made`]);
    expect(notes({ ...builtin, fallback: { ...building, reason: 'refused', progress: 0 } })).toEqual([
      `${not} it refuses what it is asked, or the key; 0% of its vectors are made (see mem consumers)`,
    ]);
    expect(notes({ ...builtin, fallback: { from: 'small', reason: 'timeout' } })).toEqual([
      `${not} it did not answer in time`,
    ]);
    const reranker = { model: 'tei', reordered: 0, failure: 'unreachable' };
    expect(notes(builtin, { reranker })).toEqual(['the reranker tei changed nothing: it cannot be reached, or fails']);
    expect(notes(builtin, { reranker: { ...reranker, reordered: 3, failure: null } })).toEqual([]);
  });

  it('a single entry shows its value laid out, with the digits it has', () => {
    const out = show('entries.read', entry('k', '{"big":12345678901234567890,"list":[1.0,[],{}]}'));
    expect(out).toContain('{\n  "big": 12345678901234567890,\n  "list": [\n    1.0,\n    [],\n    {}\n  ]\n}\n');
    expect(out).toContain('confidence  0.50\n');
    expect(show('entries.read', entry('k', String.raw`"two\nlines"`))).toMatch(/\n\ntwo\nlines\n$/);
  });

  it('a value cannot write to the terminal', () => {
    const out = show('entries.read', entry('k', String.raw`"\u001b[2Jgone\u202e\u2028\u200f\u061c"`));
    expect(out).toContain(String.raw`\u001b[2Jgone\u202e\u2028\u200f\u061c`);
    expect(show('entries.list', list(entry('k\u009b2J', '1')))).toContain(String.raw`k\u009b2J`);
  });

  it('a diff has + and - lines, coloured on a terminal', () => {
    const text =
      '{"entity_path":"svc","key":"k","branch":"main","old_version":1,"new_version":2,"diff_type":"modified","changes":[' +
      '{"path":"/a","operation":"replace","old_value":1.0,"new_value":2},{"path":"/b","operation":"add","new_value":null}]}';
    expect(show('entries.diff', text)).toBe('svc k, version 1 to 2: modified\n- /a: 1.0\n+ /a: 2\n+ /b: null\n');
    expect(show('entries.diff', text, { width: 80, colour: true })).toContain('\u001b[31m- /a: 1.0\u001b[0m');
  });

  it('a report without a form of its own is names and values, lists below', () => {
    const text =
      '{"entity_path":"svc","op":"sum","field":"n","row_path":null,"total_rows":2,"entries_scanned":2,"group_by":"g",' +
      '"groups":[{"key":"x","sum":1,"n":1},{"key":"yy","sum":20,"n":1}]}';
    expect(show('entries.aggregate', text)).toContain('total rows       2\n');
    expect(show('entries.aggregate', text)).toContain('groups\nKEY  SUM  N\nx      1  1\nyy    20  1\n');
  });

  it.each(['{}', '[]', '"a{b,c:\\"d]"', '[{"a":{}},[],[[1]]]', ' { "a" : [ ] } ', '-1.50e+10'])(
    '%s is laid out without a change',
    (json) => {
      expect(JSON.parse(indent(json))).toEqual(JSON.parse(json));
      expect(indent(json)).toBe(/[.\s]/.test(json) ? indent(json) : JSON.stringify(JSON.parse(json), null, 2));
    },
  );
});
