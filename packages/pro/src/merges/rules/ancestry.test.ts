import { describe, expect, it } from 'vitest';
import { type BranchState, bestOf, commonStates, containedIn } from './ancestry.ts';

type ForkInForce = BranchState & { of: string; since: number };
type Merge = { from: BranchState; into: BranchState };

/** Forks are in force from a `seq` of their branch on; merges are part of it from there on. */
const originsOf = (forks: readonly ForkInForce[], merges: readonly Merge[]) => async (at: BranchState) => [
  ...forks.filter(({ of, since }) => of === at.branch && since <= at.seq).slice(-1),
  ...merges.flatMap(({ from, into }) => (into.branch === at.branch && into.seq <= at.seq ? [from] : [])),
];

async function baseOf(one: BranchState, other: BranchState, origins: ReturnType<typeof originsOf>) {
  const common = commonStates(await containedIn(one, origins), await containedIn(other, origins));
  return bestOf(
    await Promise.all(common.map(async (state) => ({ state, contains: await containedIn(state, origins) }))),
  );
}

const forked: ForkInForce = { of: 'exp', since: 100, branch: 'main', seq: 100 };

describe('the base of a merge', () => {
  it('is the fork', async () => {
    const origins = originsOf([forked], []);
    const base = await baseOf({ branch: 'exp', seq: 200 }, { branch: 'main', seq: 210 }, origins);
    expect(base).toMatchObject({ branch: 'main', seq: 100 });
  });

  it('is the newest fork after a refresh', async () => {
    const origins = originsOf([forked, { of: 'exp', since: 150, branch: 'main', seq: 149 }], []);
    const base = await baseOf({ branch: 'exp', seq: 200 }, { branch: 'main', seq: 210 }, origins);
    expect(base).toMatchObject({ branch: 'main', seq: 149 });
  });

  it('is the merged state after a merge, also after a refresh', async () => {
    const merge = { from: { branch: 'exp', seq: 160 }, into: { branch: 'main', seq: 170 } };
    const origins = originsOf([forked, { of: 'exp', since: 150, branch: 'main', seq: 149 }], [merge]);
    const base = await baseOf({ branch: 'exp', seq: 200 }, { branch: 'main', seq: 210 }, origins);
    expect(base).toMatchObject({ branch: 'exp', seq: 160 });
  });

  it('is the earlier fork of two siblings', async () => {
    const origins = originsOf([forked, { of: 'other', since: 150, branch: 'main', seq: 150 }], []);
    const base = await baseOf({ branch: 'exp', seq: 200 }, { branch: 'other', seq: 210 }, origins);
    expect(base).toMatchObject({ branch: 'main', seq: 100 });
  });

  it('is found through a branch of a branch', async () => {
    const origins = originsOf([forked, { of: 'exp/deep', since: 150, branch: 'exp', seq: 150 }], []);
    const deep = { branch: 'exp/deep', seq: 200 };
    expect(await baseOf(deep, { branch: 'main', seq: 210 }, origins)).toMatchObject({ branch: 'main', seq: 100 });
    expect(await baseOf(deep, { branch: 'exp', seq: 205 }, origins)).toMatchObject({ branch: 'exp', seq: 150 });
  });

  it('knows what came in through a third branch', async () => {
    const merge = { from: { branch: 'exp', seq: 160 }, into: { branch: 'other', seq: 170 } };
    const onwards = { from: { branch: 'other', seq: 180 }, into: { branch: 'main', seq: 190 } };
    const origins = originsOf([forked, { of: 'other', since: 120, branch: 'main', seq: 120 }], [merge, onwards]);
    const base = await baseOf({ branch: 'exp', seq: 200 }, { branch: 'main', seq: 210 }, origins);
    expect(base).toMatchObject({ branch: 'exp', seq: 160 });
  });

  it('is the later of two where each was merged into the other', async () => {
    const out = { from: { branch: 'exp', seq: 160 }, into: { branch: 'main', seq: 171 } };
    const back = { from: { branch: 'main', seq: 165 }, into: { branch: 'exp', seq: 172 } };
    const origins = originsOf([forked], [out, back]);
    const base = await baseOf({ branch: 'exp', seq: 200 }, { branch: 'main', seq: 210 }, origins);
    expect(base).toMatchObject({ branch: 'main', seq: 165 });
  });
});
