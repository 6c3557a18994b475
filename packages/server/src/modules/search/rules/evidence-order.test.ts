import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countLiftable, isLowered, orderBlocks, type PlacedHit } from './evidence-order.ts';

const evidence = fc.constantFrom<Pick<PlacedHit, 'status' | 'rank' | 'signal'>>(
  { status: 'untested', rank: 2, signal: 0 },
  { status: 'untested', rank: 2, signal: 0 },
  { status: 'validated', rank: 3, signal: 1 },
  { status: 'validated', rank: 3, signal: 0.5 },
  { status: 'contested', rank: 1, signal: 0.4 },
  { status: 'contested', rank: 1, signal: -0.4 },
  { status: 'discredited', rank: 0, signal: -1 },
);
const UNKNOWN = { status: 'untested', rank: 2, signal: 0 } as const;

it('the first hits are the same where only the evidence of those near the top is known, unless it lowers one', () => {
  const hits = fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), evidence), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(hits, fc.integer({ min: 1, max: 40 }), (given, wanted) => {
      const matches = given
        .map(([score, place], i) => ({ score: score / 7, seq: i, place }))
        .sort((a, b) => b.score - a.score || b.seq - a.seq);
      const near = countLiftable(matches, wanted);
      if (matches.slice(0, near).some(({ place }) => isLowered(place))) return;
      const whole = orderBlocks(matches, ({ score, seq, place }) => ({ score, seq, ...place }));
      const known = new Set(matches.slice(0, near));
      const partly = orderBlocks(matches, (hit) => ({
        ...{ score: hit.score, seq: hit.seq },
        ...(known.has(hit) ? hit.place : UNKNOWN),
      }));
      expect(partly.slice(0, wanted)).toEqual(whole.slice(0, wanted));
    }),
    { numRuns: 300 },
  );
});
