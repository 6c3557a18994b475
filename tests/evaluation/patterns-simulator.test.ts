import { patternShapes } from '@mem-service/contract';
import { expect, test } from 'vitest';
import { type Backend, openTestApp } from '../support/app.ts';
import { patternsIn, scanned, subjectOf } from './pattern-scans.ts';
import { makePatternWorld, playPatternWorld } from './pattern-world.ts';

const SEEDS = Array.from({ length: 20 }, (_, i) => i + 1);
/** A world takes longer there: these have each type once at least. */
const SEEDS_ON_POSTGRES = [5, 9, 10];

/** What is found and what should be, by type and subject. */
async function foundIn(backend: Backend, seed: number): Promise<{ found: Set<string>; expected: Set<string> }> {
  const world = makePatternWorld(seed);
  const app = await openTestApp(backend);
  try {
    await playPatternWorld(app, world);
    expect(await scanned(app)).toMatchObject({ status: 'done', progress: 1 });
    const patterns = await patternsIn(app, { status: 'open' });
    expect(await scanned(app)).toMatchObject({
      patterns_found: patterns.length,
      patterns_opened: 0,
      patterns_cleared: 0,
    });
    expect(await patternsIn(app)).toEqual(patterns);
    return {
      found: new Set(patterns.map((one) => `${one.pattern_type} ${subjectOf(one)}`)),
      expected: new Set(world.expected.map(([type, subject]) => `${type} ${subject}`)),
    };
  } finally {
    await app.close();
  }
}

/** How often each type was found; nothing else may be. */
async function foundByType(backend: Backend, seeds: readonly number[]): Promise<ReadonlyMap<string, number>> {
  const missed: string[] = [];
  const wrong: string[] = [];
  const right = new Map<string, number>();
  for (const seed of seeds) {
    const { found, expected } = await foundIn(backend, seed);
    for (const one of expected)
      if (found.has(one)) right.set(one.split(' ')[0] as string, (right.get(one.split(' ')[0] as string) ?? 0) + 1);
      else missed.push(`${seed}: ${one}`);
    for (const one of found) if (!expected.has(one)) wrong.push(`${seed}: ${one}`);
  }
  expect({ missed, wrong }).toEqual({ missed: [], wrong: [] });
  return right;
}

test('every planted pattern is found in 20 worlds, and nothing else', { timeout: 240_000 }, async () => {
  const right = await foundByType('sqlite', SEEDS);
  for (const type of patternShapes.patternTypes) expect(right.get(type), type).toBeGreaterThanOrEqual(5);
});

test('on PostgreSQL too', { timeout: 240_000 }, async () => {
  const right = await foundByType('postgres', SEEDS_ON_POSTGRES);
  for (const type of patternShapes.patternTypes) expect(right.get(type), type).toBeGreaterThanOrEqual(1);
});
