import { describe, expect, it } from 'vitest';
import { drawnAt, MAX_SPACER_PX, moved, NONE } from './use-rows.ts';

const height = 800;
const virtualPx = 1_000_000 * 32;
const sizes = { virtualPx, spacerPx: MAX_SPACER_PX, height };

describe('a million rows behind a spacer that is shorter than they are', () => {
  it('move one to one over short distances', () => {
    const before = { scrollTop: 1_000, virtualTop: 500_000, height };
    expect(moved(before, { scrollTop: 1_240, ...sizes }).virtualTop).toBe(500_240);
  });

  it('jump by proportion over long ones', () => {
    const before = { scrollTop: 0, virtualTop: 0, height };
    const half = (MAX_SPACER_PX - height) / 2;
    expect(moved(before, { scrollTop: half, ...sizes }).virtualTop).toBeCloseTo((virtualPx - height) / 2);
  });

  it('end exactly at both ends', () => {
    const before = { scrollTop: 100, virtualTop: 12_345, height };
    expect(moved(before, { scrollTop: 0, ...sizes }).virtualTop).toBe(0);
    expect(moved(before, { scrollTop: MAX_SPACER_PX - height, ...sizes }).virtualTop).toBe(virtualPx - height);
  });

  it('are where the scroll bar is, where the spacer is as high as they are', () => {
    const before = { scrollTop: 0, virtualTop: 0, height };
    expect(moved(before, { scrollTop: 77, virtualPx: 3_200, spacerPx: 3_200, height }).virtualTop).toBe(77);
  });
});

describe('rows that are drawn', () => {
  const rows = { count: 1_000, rowPx: 50 };
  const at = (row: number) => ({ scrollTop: row * 50, virtualTop: row * 50, height: 500 });
  const atTop = drawnAt({ ...NONE, isNarrow: false }, at(0), rows);

  it('are those in view and some around them, so that a short move finds them there', () => {
    expect(atTop).toMatchObject({ first: 0, last: 16 });
    expect(drawnAt(atTop, at(10), rows)).toMatchObject({ first: 4, last: 26, isNarrow: false });
  });

  it('are those in view alone after a far move, until it is over', () => {
    const far = drawnAt(atTop, at(400), rows);
    expect(far).toMatchObject({ first: 400, last: 410, isNarrow: true });
    expect(drawnAt(far, at(402), rows)).toMatchObject({ first: 402, last: 412, isNarrow: true });
    expect(drawnAt({ ...far, isNarrow: false }, at(400), rows)).toMatchObject({ first: 394, last: 416 });
  });

  it('keep their elements over short moves, and hand them to other rows over far ones', () => {
    const near = drawnAt(atTop, at(5), rows);
    expect(near.keyShift).toBe(atTop.keyShift);
    const far = drawnAt(near, at(400), rows);
    expect(far.first - far.keyShift).toBe(near.first - near.keyShift);
    const back = drawnAt(far, at(10), rows);
    expect(back.first - back.keyShift).toBe(near.first - near.keyShift);
  });

  it('are none where there is none, and the same where nothing moves', () => {
    const none = drawnAt(NONE, at(0), { count: 0, rowPx: 50 });
    expect(none.last).toBeLessThan(none.first);
    expect(drawnAt(atTop, at(0), rows)).toBe(atTop);
  });
});
