import { describe, expect, it } from 'vitest';
import { type Listed, movementsOf, type OverviewOutcome, withNewer } from './overview-data.ts';

const entry = { entity_path: 'checkout', key: 'limit' };

/** An outcome that moved a version of the entry. */
const outcome = (version: number, confidence_before: number, confidence_after: number) =>
  ({
    agent_id: 'bot',
    entries: [
      { ...entry, version, confidence_before, confidence_after, applied: true, outcome_type: 'failure', why: '' },
    ],
  }) as unknown as OverviewOutcome;
const written = (version: number, confidence: number) => [{ ...entry, version, confidence } as Listed];

describe('movements of confidence', () => {
  it('go from before the first outcome to after the last, over versions that restate the same', () => {
    const moved = movementsOf([outcome(2, 0.6, 0.5), outcome(1, 0.8, 0.6)]);
    expect(moved).toMatchObject([{ before: 0.8, after: 0.5, version: 2 }]);
  });

  it('begin with the newest version that has a confidence of its own', () => {
    const moved = movementsOf([outcome(2, 0.8, 0.85), outcome(1, 0.3, 0.2), outcome(1, 0.8, 0.3)]);
    expect(moved).toMatchObject([{ before: 0.8, after: 0.85, version: 2 }]);
  });

  it('are over where the entry was written again, and say how it stands now', () => {
    const moved = movementsOf([outcome(1, 0.8, 0.2)]);
    expect(withNewer(moved, written(2, 0.8))).toMatchObject([{ after: 0.2, now: { version: 2, confidence: 0.8 } }]);
    expect(withNewer(moved, written(2, 0.2))[0]?.now).toBeUndefined();
    expect(withNewer(moved, written(1, 0.2))[0]?.now).toBeUndefined();
    expect(withNewer(moved, [])[0]?.now).toBeUndefined();
  });
});
