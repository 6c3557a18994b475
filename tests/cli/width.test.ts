import type { OperationName } from '@mem-service/contract';
import { describe, expect, it } from 'vitest';
import { readAnswer, render, type Screen } from '../../packages/server/src/cli/render/index.ts';
import { widthOf } from '../../packages/server/src/cli/render/text.ts';
import { AT, listedOutcome, page, plain, shown, trace } from './answers.ts';

const NOW = Date.parse(AT) + 3 * 60 * 60 * 1000;
const screen = (width: number): Screen => ({ width, colour: false, now: NOW });

const VALUE = `three attempts with growing delays, because the bank refuses bursts; ${'measured in week 44, '.repeat(12)}`;
const entry = (key: string, more: object = {}) => ({
  entity_path: 'checkout/payments/cards',
  key,
  branch: 'main',
  version: 12,
  value: VALUE,
  confidence: 0.8,
  memory_type: 'procedure',
  shared: true,
  provenance: { agent_id: 'agent/deploy-bot-of-the-team', session_id: null, written_at: AT, pattern_refs: [] },
  ...more,
});
const entries = { entries: [entry('retry-policy'), entry('a-key-that-is-rather-long-for-a-key')], ...page };
const list = (width: number, name: OperationName = 'entries.list') =>
  render(name, readAnswer(name, JSON.stringify(entries)), screen(width))
    .out.trimEnd()
    .split('\n');

describe('a table on a terminal', () => {
  it('of 80 columns fits, shows the value before what is known about it, and how long ago it was', () => {
    const [head, first] = list(80);
    expect(head?.split(/\s+/)).toEqual(['PATH', 'KEY', 'VALUE', 'CONF', 'WHEN']);
    expect(first).toMatch(/^checkout\/p\S*…\s+retry-policy\s+"three attempts with .*…\s+0\.80 {2}3h ago$/);
    for (const line of list(80)) expect(widthOf(line)).toBeLessThanOrEqual(80);
  });

  it('of 200 columns shows every column, and more of the value', () => {
    const [head, first] = list(200);
    expect(head?.split(/\s+/)).toEqual(['PATH', 'KEY', 'VALUE', 'CONF', 'WHEN', 'AGENT', 'TYPE', 'VER']);
    expect(first).toContain('because the bank refuses bursts');
    for (const line of list(200)) expect(widthOf(line)).toBeLessThanOrEqual(200);
    expect(widthOf(first as string)).toBeGreaterThan(190);
  });

  it.each([20, 40, 60, 80, 100, 132, 200])('of %i columns is never wider', (width) => {
    for (const name of ['entries.list', 'entries.search'] as const)
      for (const line of list(width, name)) expect(widthOf(line)).toBeLessThanOrEqual(width);
  });

  it('is as wide as it needs where all of it fits', () => {
    const out = render('entries.list', { entries: [entry('k', { value: 1 })], ...page }, screen(200)).out;
    expect(out.split('\n')[0]).toBe(
      'PATH                     KEY  VALUE  CONF  WHEN    AGENT                         TYPE       VER',
    );
  });

  it.each([
    ['2026-01-31T12:00:59.000Z', '59s ago'],
    ['2026-01-31T11:59:00.000Z', '2m ago'],
    ['2026-01-30T12:01:00.000Z', '24h ago'],
    ['2026-01-01T12:01:00.000Z', '30d ago'],
    ['2025-01-01T12:01:00.000Z', '2025-01-01'],
    ['2026-02-03T12:01:58.000Z', 'in 3d'],
  ])('%s is %s', (written_at, text) => {
    const answer = { entries: [entry('k', { provenance: { agent_id: 'a', written_at } })], ...page };
    const at = Date.parse('2026-01-31T12:01:58.000Z');
    expect(render('entries.list', answer, { width: 120, colour: false, now: at }).out).toContain(` ${text} `);
  });

  it('of outcomes and of traces fits as well', () => {
    const long = 'a-reference-that-names-a-deployment-and-its-environment-and-its-region';
    const outcomes = { outcomes: [listedOutcome({ outcome_ref: long, decision_summary: VALUE })], ...page };
    const traces = { traces: [trace('01kfx3e5gh4c7m9q2r5t8w1y3z', { outcome_ref: long, task_input: VALUE })], ...page };
    for (const width of [80, 200])
      for (const [name, answer] of [
        ['outcomes.list', outcomes],
        ['traces.list', traces],
      ] as const)
        for (const line of shown(name, answer, screen(width)).split('\n'))
          expect(widthOf(line), line).toBeLessThanOrEqual(width);
  });

  it('of anything else fits: columns that have no room are left to --json', () => {
    const line = {
      no: 1,
      at: AT,
      actor: 'key/01kfx3e5gh4c7m9q2r5t8w1y3z',
      key_id: null,
      key_name: null,
      user: null,
      agent_id: 'agent/deploy-bot',
      action: 'entries.write',
      resource: 'checkout/payments/cards retry-policy of the whole shop',
      ip_address: '203.0.113.7',
      request_id: '0123456789abcdef-1',
      before_hash: 'a'.repeat(64),
      after_hash: 'b'.repeat(64),
      hash: 'c'.repeat(64),
    };
    const answer = { entries: [line], ...page };
    expect(shown('audit.list', answer, screen(80)).split('\n')[0]?.trim().split(/\s+/)).toEqual(
      expect.arrayContaining(['NO', 'ACTION', 'RESOURCE', 'AGENT_ID', 'AT']),
    );
    for (const text of shown('audit.list', answer, screen(80)).split('\n'))
      expect(widthOf(text)).toBeLessThanOrEqual(80);
    expect(shown('audit.list', answer)).toContain('c'.repeat(64));
  });
});

it('what is no terminal gets every column uncut, with times that stay true', () => {
  expect(render('entries.list', entries, plain).out).toContain('2026-01-31 12:00:00Z');
  expect(render('entries.list', entries, plain).out).toContain(VALUE.trim().slice(-40));
  expect(render('entries.list', entries, plain).out.split('\n')[0]).toMatch(
    /^PATH +KEY +VER +CONF +TYPE +AGENT +WHEN +VALUE$/,
  );
});
